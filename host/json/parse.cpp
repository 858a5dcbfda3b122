#include <rapidjson/reader.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "json/json.h"
#include "json/key_check.h"
#include "json/number.h"
#include "json/text_stream.h"

namespace host::json {
namespace {

using Builder = rapidjson::GenericDocument<rapidjson::UTF8<>, Allocator>;
using Reader = rapidjson::GenericReader<SourceUtf8, rapidjson::UTF8<>>;

// Iterative, because nesting must not cost stack; numbers as text, because RapidJSON 1.1.0 reads
// out of bounds while it converts some of them.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                            rapidjson::kParseNumbersAsStringsFlag;

// Forwards every event of the reader to the builder, once the limits agree. A `false` ends parsing;
// `error_` then says why.
class Gate {
 public:
  Gate(Builder& builder, const Limits& limits, const TextStream& stream, std::string_view text)
      : builder_(builder), limits_(limits), stream_(stream), keys_(text) {}

  bool Null() { return count() && builder_.Null(); }
  bool Bool(bool value) { return count() && builder_.Bool(value); }
  bool Int(int) { return false; }  // numbers come as text: these five are never called
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

  bool RawNumber(const char* data, rapidjson::SizeType length, bool) {
    const Number number = read_number({data, length});
    switch (number.kind) {
      case Number::Kind::Signed:
        return count() && builder_.Int64(number.as_signed);
      case Number::Kind::Unsigned:
        return count() && builder_.Uint64(number.as_unsigned);
      case Number::Kind::Real:
        return count() && builder_.Double(number.as_real);
      case Number::Kind::IntegerTooLarge:
        return refuse("the integer does not fit 64 bits: send it as a string");
      case Number::Kind::RealTooLarge:
        break;
    }
    return refuse("the number is too large for a double");
  }

  bool String(const char* data, rapidjson::SizeType length, bool copy) {
    if (length > limits_.string_bytes) [[unlikely]] {
      return refuse_size("the string is longer than ", limits_.string_bytes, " bytes");
    }
    return count() && builder_.String(data, length, copy);
  }

  bool StartObject() {
    if (!enter()) return false;
    keys_.open();
    return builder_.StartObject();
  }

  bool Key(const char* data, rapidjson::SizeType length, bool copy) {
    if (length > limits_.key_bytes) [[unlikely]] {
      return refuse_size("the member name is longer than ", limits_.key_bytes, " bytes");
    }
    keys_.add({data, length}, stream_.Tell());
    return builder_.Key(data, length, copy);
  }

  bool EndObject(rapidjson::SizeType count) {
    --depth_;
    if (const auto twice = keys_.close()) {
      error_at_ = *twice;
      return refuse("the member name " + keys_.quoted(*twice) + " stands twice in one object");
    }
    return builder_.EndObject(count);
  }

  bool StartArray() { return enter() && builder_.StartArray(); }

  bool EndArray(rapidjson::SizeType count) {
    --depth_;
    return builder_.EndArray(count);
  }

  const std::string& error() const { return error_; }
  std::size_t error_at(std::size_t otherwise) const {
    return error_at_ == kNowhere ? otherwise : error_at_;
  }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  bool count() {
    if (nodes_ == limits_.nodes) [[unlikely]] {
      return refuse_size("more than ", limits_.nodes, " values in one text");
    }
    ++nodes_;
    return true;
  }

  bool enter() {
    if (depth_ == limits_.depth) [[unlikely]] {
      return refuse_size("nested deeper than ", limits_.depth, " levels");
    }
    ++depth_;
    return count();
  }

  [[gnu::cold, gnu::noinline]] bool refuse_size(std::string before, std::uint32_t limit,
                                                std::string_view after) {
    return refuse(before.append(std::to_string(limit)).append(after));
  }

  [[gnu::cold, gnu::noinline]] bool refuse(std::string why) {
    error_ = std::move(why);
    return false;
  }

  Builder& builder_;
  const Limits& limits_;
  const TextStream& stream_;  // stands at a name's opening quote while Key() runs
  KeyCheck keys_;
  std::uint32_t depth_ = 0;
  std::uint32_t nodes_ = 0;
  std::string error_;
  std::size_t error_at_ = kNowhere;
};

std::string describe_code(rapidjson::ParseErrorCode code, bool at_end) {
  if (at_end) {
    return code == rapidjson::kParseErrorDocumentEmpty ? "the text is empty"
                                                       : "the text ends too early";
  }
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty:
      return "expected a value";
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "expected nothing after the value";
    case rapidjson::kParseErrorValueInvalid:
      return "expected a value";
    case rapidjson::kParseErrorObjectMissName:
      return "expected a member name in quotes";
    case rapidjson::kParseErrorObjectMissColon:
      return "expected ':' after the member name";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "expected ',' or '}'";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "expected ',' or ']'";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "expected four hex digits after \\u";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return "half of a surrogate pair in a \\u escape";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return "an unknown escape, or a control character that must be escaped";
    case rapidjson::kParseErrorStringMissQuotationMark:
      return "a raw NUL in a string";
    case rapidjson::kParseErrorStringInvalidEncoding:
      return "the string is not valid UTF-8";
    case rapidjson::kParseErrorNumberTooBig:
      return "the number is too large";
    case rapidjson::kParseErrorNumberMissFraction:
      return "expected a digit after the point";
    case rapidjson::kParseErrorNumberMissExponent:
      return "expected a digit in the exponent";
    default:
      return "not JSON";
  }
}

void locate(std::string_view text, std::size_t byte, ParseError& error) {
  error.byte = std::min(byte, text.size());
  error.line = 1;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < error.byte; ++at) {
    if (text[at] != '\n') continue;
    ++error.line;
    line_start = at + 1;
  }
  error.column = error.byte - line_start + 1;
}

// Most requests are a few hundred bytes and most trees take about twice their text: one chunk.
std::size_t chunk_size(std::size_t text_size) {
  return std::clamp<std::size_t>(text_size * 2, 512, 64u << 10u);
}

bool parse_into(std::string_view text, const Limits& limits, Document& document,
                ParseError& error) {
  if (text.size() >= std::numeric_limits<rapidjson::SizeType>::max()) {
    locate(text.substr(0, 0), 0, error);
    error.message = "the text is longer than 4 GiB";
    return false;
  }
  auto allocator = std::make_unique<Allocator>(chunk_size(text.size()));
  Builder builder(allocator.get());
  TextStream stream(text);
  Gate gate(builder, limits, stream, text);
  rapidjson::ParseResult result;
  const auto generate = [&](Builder&) {
    Reader reader;
    result = reader.Parse<kFlags>(stream, gate);
    if (!result.IsError() && stream.Tell() != text.size()) {  // a raw NUL looked like the end
      result.Set(rapidjson::kParseErrorDocumentRootNotSingular, stream.Tell());
    }
    return !result.IsError();
  };
  builder.Populate(generate);
  if (result.IsError()) {
    const bool ours = result.Code() == rapidjson::kParseErrorTermination;
    locate(text, ours ? gate.error_at(result.Offset()) : result.Offset(), error);
    error.message = ours ? gate.error() : describe_code(result.Code(), error.byte == text.size());
    return false;
  }
  document = Document(std::move(allocator), std::move(static_cast<Value&>(builder)));
  return true;
}

}  // namespace

std::string ParseError::describe() const {
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + " (byte " +
         std::to_string(byte) + "): " + message;
}

Result<Document> parse(std::string_view text, const Limits& limits) {
  Document document(nullptr, Value());
  ParseError error;
  if (!parse_into(text, limits, document, error)) {
    return Error{ErrorKind::InvalidArgument, error.describe()};
  }
  return document;
}

std::unique_ptr<Document> parse(std::string_view text, const Limits& limits, ParseError& error) {
  auto document = std::make_unique<Document>(nullptr, Value());
  if (!parse_into(text, limits, *document, error)) return nullptr;
  return document;
}

}  // namespace host::json
