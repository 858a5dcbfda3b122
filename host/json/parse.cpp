#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "json/foreign.h"
#include "json/json.h"
#include "json/reader.h"

namespace host::json {
namespace {

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

bool parse_into(std::string_view text, const Limits& limits, Reader::Unfit unfit,
                Document& document, ParseError& error) {
  if (text.size() >= std::numeric_limits<rapidjson::SizeType>::max()) {
    locate(text.substr(0, 0), 0, error);
    error.message = "the text is longer than 4 GiB";
    return false;
  }
  auto allocator = std::make_unique<Allocator>(chunk_size(text.size()));
  Builder builder(allocator.get());
  Reader reader(text, limits, builder, unfit);
  const auto read = [&reader](Builder&) { return reader.read(); };
  builder.Populate(read);
  if (!reader.error().empty()) {
    locate(text, reader.error_at(), error);
    error.message = reader.error();
    return false;
  }
  document = Document(std::move(allocator), std::move(static_cast<Value&>(builder)));
  return true;
}

Result<Document> parse(std::string_view text, const Limits& limits, Reader::Unfit unfit) {
  Document document(nullptr, Value());
  ParseError error;
  if (!parse_into(text, limits, unfit, document, error)) {
    return Error{ErrorKind::InvalidArgument, error.describe()};
  }
  return document;
}

}  // namespace

std::string ParseError::describe() const {
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + " (byte " +
         std::to_string(byte) + "): " + message;
}

Result<Document> parse(std::string_view text, const Limits& limits) {
  return parse(text, limits, Reader::Unfit::Refuse);
}

Result<Document> parse_foreign(std::string_view text, const Limits& limits) {
  return parse(text, limits, Reader::Unfit::Replace);
}

std::unique_ptr<Document> parse(std::string_view text, const Limits& limits, ParseError& error) {
  auto document = std::make_unique<Document>(nullptr, Value());
  if (!parse_into(text, limits, Reader::Unfit::Refuse, *document, error)) return nullptr;
  return document;
}

}  // namespace host::json
