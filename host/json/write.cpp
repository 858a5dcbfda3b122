#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include "json/json.h"
#include "json/text_run.h"

namespace host::json {
namespace {

// Collects small pieces, so that the string behind is appended to rarely.
class Sink {
 public:
  explicit Sink(std::string& to) : to_(to) {}
  ~Sink() { flush(); }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void put(char c) {
    if (at_ == buffer_.size()) flush();
    buffer_[at_++] = c;
  }

  void put(std::string_view piece) {
    if (piece.size() > buffer_.size() - at_) {
      flush();
      if (piece.size() > buffer_.size()) {
        to_.append(piece);
        return;
      }
    }
    std::memcpy(buffer_.data() + at_, piece.data(), piece.size());
    at_ += piece.size();
  }

  // Where up to `count` characters may be written, to be taken over by advance().
  char* room(std::size_t count) {
    if (count > buffer_.size() - at_) flush();
    return buffer_.data() + at_;
  }
  void advance(const char* end) { at_ = static_cast<std::size_t>(end - buffer_.data()); }

 private:
  void flush() {
    to_.append(buffer_.data(), at_);
    at_ = 0;
  }

  std::string& to_;
  std::size_t at_ = 0;
  std::array<char, 1024> buffer_;
};

// What may follow the backslash for a byte that cannot stand as it is; 'u' for \u00XX.
char escape_of(char c) {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 'u';
  }
}

void put_escaped(char c, Sink& to) {
  const char escape = escape_of(c);
  to.put('\\');
  to.put(escape);
  if (escape != 'u') return;
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  to.put("00");
  to.put(kHex[byte >> 4u]);
  to.put(kHex[byte & 0xFu]);
}

void put_string(std::string_view text, Sink& to) {
  const char* position = text.data();
  const char* const end = position + text.size();
  to.put('"');
  while (position != end) {
    const char* const stop = end_of_run(position, end);
    to.put(std::string_view(position, static_cast<std::size_t>(stop - position)));
    position = stop;
    if (position == end) break;
    if (static_cast<unsigned char>(*position) >= 0x80) {
      to.put("\xEF\xBF\xBD");  // U+FFFD: what was not UTF-8 must not leave as if it were
    } else {
      put_escaped(*position, to);
    }
    ++position;
  }
  to.put('"');
}

constexpr std::size_t kNumberLength = 32;

template <class Number>
void put_integer(Number value, Sink& to) {
  char* const room = to.room(kNumberLength);
  to.advance(std::to_chars(room, room + kNumberLength, value).ptr);
}

// Shortest text that reads back as the same double, and as a double: `2.0`, not `2`.
void put_real(double value, Sink& to) {
  if (!std::isfinite(value)) {  // parse() gives none, and JSON has no word for it
    to.put("null");
    return;
  }
  char* const room = to.room(kNumberLength);
  char* const end = std::to_chars(room, room + kNumberLength, value).ptr;
  to.advance(end);
  if (std::none_of(room, end, [](char c) { return c == '.' || c == 'e'; })) to.put(".0");
}

void put(const Value& value, Sink& to);

void put_number(const Value& value, Sink& to) {
  if (value.IsDouble()) {
    put_real(value.GetDouble(), to);
  } else if (value.IsInt64()) {
    put_integer(value.GetInt64(), to);
  } else {
    put_integer(value.GetUint64(), to);
  }
}

void put_object(const Value& value, Sink& to) {
  to.put('{');
  for (auto member = value.MemberBegin(); member != value.MemberEnd(); ++member) {
    if (member != value.MemberBegin()) to.put(',');
    put_string(text(member->name), to);
    to.put(':');
    put(member->value, to);
  }
  to.put('}');
}

void put_array(const Value& value, Sink& to) {
  to.put('[');
  for (const Value* element = value.Begin(); element != value.End(); ++element) {
    if (element != value.Begin()) to.put(',');
    put(*element, to);
  }
  to.put(']');
}

void put(const Value& value, Sink& to) {
  switch (value.GetType()) {
    case rapidjson::kNullType:
      to.put("null");
      break;
    case rapidjson::kFalseType:
      to.put("false");
      break;
    case rapidjson::kTrueType:
      to.put("true");
      break;
    case rapidjson::kObjectType:
      put_object(value, to);
      break;
    case rapidjson::kArrayType:
      put_array(value, to);
      break;
    case rapidjson::kStringType:
      put_string(text(value), to);
      break;
    case rapidjson::kNumberType:
      put_number(value, to);
      break;
  }
}

}  // namespace

std::string write(const Value& value) {
  std::string written;
  write(value, written);
  return written;
}

void write(const Value& value, std::string& append_to) {
  Sink sink(append_to);
  put(value, sink);
}

void write_string(std::string_view text, std::string& append_to) {
  Sink sink(append_to);
  put_string(text, sink);
}

}  // namespace host::json
