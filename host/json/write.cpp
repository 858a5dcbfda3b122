#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "json/json.h"
#include "json/text_stream.h"

namespace host::json {
namespace {

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

void append_escaped(char c, std::string& to) {
  const char escape = escape_of(c);
  to += '\\';
  to += escape;
  if (escape != 'u') return;
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  to += "00";
  to += kHex[byte >> 4u];
  to += kHex[byte & 0xFu];
}

template <class Number>
void append_number(Number value, std::string& to) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  to.append(digits.data(), end);
}

// Shortest text that reads back as the same double, and as a double: `2.0`, not `2`.
void append_real(double value, std::string& to) {
  if (!std::isfinite(value)) {  // parse() gives none, and JSON has no word for it
    to += "null";
    return;
  }
  const std::size_t start = to.size();
  append_number(value, to);
  if (to.find_first_of(".e", start) == std::string::npos) to += ".0";
}

void append_number_value(const Value& value, std::string& to) {
  if (value.IsDouble()) {
    append_real(value.GetDouble(), to);
  } else if (value.IsInt64()) {
    append_number(value.GetInt64(), to);
  } else {
    append_number(value.GetUint64(), to);
  }
}

void append_object(const Value& value, std::string& to) {
  to += '{';
  for (auto member = value.MemberBegin(); member != value.MemberEnd(); ++member) {
    if (member != value.MemberBegin()) to += ',';
    write_string(text(member->name), to);
    to += ':';
    write(member->value, to);
  }
  to += '}';
}

void append_array(const Value& value, std::string& to) {
  to += '[';
  for (const Value* element = value.Begin(); element != value.End(); ++element) {
    if (element != value.Begin()) to += ',';
    write(*element, to);
  }
  to += ']';
}

}  // namespace

std::string write(const Value& value) {
  std::string written;
  written.reserve(256);
  write(value, written);
  return written;
}

void write(const Value& value, std::string& append_to) {
  switch (value.GetType()) {
    case rapidjson::kNullType:
      append_to += "null";
      break;
    case rapidjson::kFalseType:
      append_to += "false";
      break;
    case rapidjson::kTrueType:
      append_to += "true";
      break;
    case rapidjson::kObjectType:
      append_object(value, append_to);
      break;
    case rapidjson::kArrayType:
      append_array(value, append_to);
      break;
    case rapidjson::kStringType:
      write_string(text(value), append_to);
      break;
    case rapidjson::kNumberType:
      append_number_value(value, append_to);
      break;
  }
}

void write_string(std::string_view text, std::string& append_to) {
  const char* position = text.data();
  const char* const end = position + text.size();
  append_to += '"';
  while (position != end) {
    const char* const stop = end_of_run(position, end);
    append_to.append(position, stop);
    position = stop;
    if (position == end) break;
    if (static_cast<unsigned char>(*position) >= 0x80) {
      append_to += "\xEF\xBF\xBD";  // U+FFFD: what was not UTF-8 must not leave as if it were
    } else {
      append_escaped(*position, append_to);
    }
    ++position;
  }
  append_to += '"';
}

}  // namespace host::json
