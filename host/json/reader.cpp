#include "json/reader.h"

#include <utility>

#include "json/number.h"
#include "json/string_token.h"
#include "json/text_run.h"

namespace host::json {
namespace {

// Deeper texts grow the stack of open containers as they come.
constexpr std::size_t kUsualDepth = 16;

}  // namespace

Reader::Reader(std::string_view text, const Limits& limits, Builder& builder, Unfit unfit)
    : begin_(text.data()),
      end_(text.data() + text.size()),
      position_(begin_),
      limits_(limits),
      builder_(builder),
      unfit_(unfit),
      keys_(text) {
  open_.reserve(kUsualDepth);
}

bool Reader::read() {
  skip_space();
  if (position_ == end_) return refuse_at(position_, "the text is empty");
  Next next = Next::Another;
  while (next == Next::Another) next = read_value();
  if (next == Next::Refused) return false;
  skip_space();
  return position_ == end_ || refuse("expected nothing after the value");
}

Reader::Next Reader::read_value() {
  skip_space();
  bool good = false;
  switch (position_ == end_ ? '\0' : *position_) {
    case '{':
      return open_object();
    case '[':
      return open_array();
    case '"':
      good = read_string();
      break;
    case 't':
      good = read_literal("true") && builder_.Bool(true);
      break;
    case 'f':
      good = read_literal("false") && builder_.Bool(false);
      break;
    case 'n':
      good = read_literal("null") && builder_.Null();
      break;
    default:
      good = read_digits();
      break;
  }
  return good ? after_value() : Next::Refused;
}

// Closes what ends behind a value, up to where the next value must stand.
Reader::Next Reader::after_value() {
  while (!open_.empty()) {
    skip_space();
    Frame& frame = open_.back();
    ++frame.count;
    if (at(',')) {
      ++position_;
      return frame.is_object ? read_name() : Next::Another;
    }
    if (!at(frame.is_object ? '}' : ']')) {
      refuse(frame.is_object ? "expected ',' or '}'" : "expected ',' or ']'");
      return Next::Refused;
    }
    if (!close(frame)) return Next::Refused;
  }
  return Next::Done;
}

Reader::Next Reader::open_array() {
  if (!enter()) return Next::Refused;
  builder_.StartArray();
  ++position_;
  skip_space();
  open_.push_back({.is_object = false, .count = 0, .names = 0});
  if (!at(']')) return Next::Another;
  return close(open_.back()) ? after_value() : Next::Refused;
}

Reader::Next Reader::open_object() {
  if (!enter()) return Next::Refused;
  builder_.StartObject();
  ++position_;
  skip_space();
  open_.push_back({.is_object = true, .count = 0, .names = keys_.size()});
  if (!at('}')) return read_name();
  return close(open_.back()) ? after_value() : Next::Refused;
}

// Ends the innermost container, at its closing bracket.
bool Reader::close(Frame frame) {
  ++position_;
  open_.pop_back();
  if (!frame.is_object) return builder_.EndArray(frame.count);
  if (const auto twice = keys_.close(frame.names)) {
    return refuse_at(begin_ + *twice,
                     "the member name " + keys_.quoted(*twice) + " stands twice in one object");
  }
  return builder_.EndObject(frame.count);
}

Reader::Next Reader::read_name() {
  skip_space();
  if (!at('"')) {
    refuse("expected a member name in quotes");
    return Next::Refused;
  }
  const char* const quote = position_;
  std::string_view name;
  if (!read_text(name, HalfPairs::Refuse)) return Next::Refused;
  if (name.size() > limits_.key_bytes) [[unlikely]] {
    refuse_limit(quote, "the member name is longer than ", limits_.key_bytes, " bytes");
    return Next::Refused;
  }
  keys_.add(name, static_cast<std::size_t>(quote - begin_));
  builder_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()), true);
  skip_space();
  if (!at(':')) {
    refuse("expected ':' after the member name");
    return Next::Refused;
  }
  ++position_;
  return Next::Another;
}

bool Reader::read_string() {
  const char* const quote = position_;
  std::string_view decoded;
  const auto halves = unfit_ == Unfit::Replace ? HalfPairs::Replace : HalfPairs::Refuse;
  if (!read_text(decoded, halves)) return false;
  if (decoded.size() > limits_.string_bytes) [[unlikely]] {
    return refuse_limit(quote, "the string is longer than ", limits_.string_bytes, " bytes");
  }
  if (!count_value()) return false;
  return builder_.String(decoded.data(), static_cast<rapidjson::SizeType>(decoded.size()), true);
}

// The string at the opening quote; `decoded` is good until the next one.
bool Reader::read_text(std::string_view& decoded, HalfPairs halves) {
  const char* const from = position_ + 1;
  const char* const stop = end_of_run(from, end_);
  if (stop != end_ && *stop == '"') {
    decoded = {from, static_cast<std::size_t>(stop - from)};
    position_ = stop + 1;
    return true;
  }
  scratch_.assign(from, stop);
  position_ = stop;
  const std::string_view wrong = read_string_token(position_, end_, scratch_, halves);
  decoded = scratch_;
  return wrong.empty() || refuse(wrong);
}

bool Reader::read_literal(std::string_view word) {
  for (const char expected : word) {
    if (!at(expected)) return refuse("expected a value");
    ++position_;
  }
  return count_value();
}

bool Reader::read_digits() {
  if (position_ == end_ || (*position_ != '-' && (*position_ < '0' || *position_ > '9'))) {
    return refuse("expected a value");
  }
  const char* const from = position_;
  const Number number = read_number(position_, end_);
  switch (number.kind) {
    case Number::Kind::Signed:
      return count_value() && builder_.Int64(number.as_signed);
    case Number::Kind::Unsigned:
      return count_value() && builder_.Uint64(number.as_unsigned);
    case Number::Kind::Real:
      return count_value() && builder_.Double(number.as_real);
    case Number::Kind::IntegerTooLarge:
      return read_too_large(from, "the integer does not fit 64 bits: send it as a string");
    case Number::Kind::RealTooLarge:
      return read_too_large(from, "the number is too large for a double");
    case Number::Kind::DigitMissing:
      return refuse("expected a digit after the minus");
    case Number::Kind::FractionDigitMissing:
      return refuse("expected a digit after the point");
    case Number::Kind::ExponentDigitMissing:
      break;
  }
  return refuse("expected a digit in the exponent");
}

bool Reader::read_too_large(const char* from, std::string why) {
  if (unfit_ == Unfit::Refuse) return refuse_at(from, std::move(why));
  return count_value() && builder_.Double(nearest_double(from, position_));
}

// Mostly there is none, and then nothing is stored: the next step need not wait for it.
void Reader::skip_space() {
  if (position_ == end_ || static_cast<unsigned char>(*position_) > ' ') [[likely]]
    return;
  const char* at = position_;
  while (at != end_ && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
  position_ = at;
}

bool Reader::count_value() {
  if (nodes_ == limits_.nodes) [[unlikely]] {
    return refuse_limit(position_, "more than ", limits_.nodes, " values in one text");
  }
  ++nodes_;
  return true;
}

bool Reader::enter() {
  if (open_.size() == limits_.depth) [[unlikely]] {
    return refuse_limit(position_, "nested deeper than ", limits_.depth, " levels");
  }
  return count_value();
}

[[gnu::cold, gnu::noinline]] bool Reader::refuse(std::string_view expected) {
  return refuse_at(position_,
                   position_ == end_ ? "the text ends too early" : std::string(expected));
}

[[gnu::cold, gnu::noinline]] bool Reader::refuse_at(const char* where, std::string why) {
  error_at_ = static_cast<std::size_t>(where - begin_);
  error_ = std::move(why);
  return false;
}

[[gnu::cold, gnu::noinline]] bool Reader::refuse_limit(const char* where, std::string before,
                                                       std::uint32_t limit,
                                                       std::string_view after) {
  return refuse_at(where, before.append(std::to_string(limit)).append(after));
}

}  // namespace host::json
