#include "json/string_token.h"

#include <rapidjson/encodings.h>

#include "json/text_run.h"

namespace host::json {
namespace {

constexpr std::string_view kEndsInside = "the string has no end";
constexpr std::string_view kHalfPair = "half of a surrogate pair in a \\u escape";

// What stands for `letter` after a backslash; 0 for none.
char unescaped(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads the four digits after `\u`. If a character is not a hex digit, `at` points to it.
std::string_view read_unit(const char*& at, const char* end, unsigned& unit) {
  unit = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    if (at == end) return kEndsInside;
    const int digit = hex_digit(*at);
    if (digit < 0) return "expected four hex digits after \\u";
    unit = unit * 16 + static_cast<unsigned>(digit);
  }
  return {};
}

// RapidJSON's encoder wants a stream.
struct StringOutput {
  using Ch = char;
  std::string& to;
  void Put(char c) { to += c; }
};

// Behind the first half of a pair in `code`, which it makes the whole code point. False: the other
// half is missing, and `at` has not moved.
bool read_second_half(const char*& at, const char* end, unsigned& code) {
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return false;
  const char* ahead = at + 2;
  unsigned low = 0;
  if (!read_unit(ahead, end, low).empty() || low < 0xDC00 || low >= 0xE000) return false;
  code = 0x10000 + ((code - 0xD800) << 10u) + (low - 0xDC00);
  at = ahead;
  return true;
}

// Behind `\u`; `at` goes back to the backslash of half a pair that is refused.
std::string_view read_code_point(const char*& at, const char* end, std::string& decoded,
                                 HalfPairs halves) {
  const char* const backslash = at - 2;
  unsigned code = 0;
  if (const auto wrong = read_unit(at, end, code); !wrong.empty()) return wrong;
  const bool is_half = code >= 0xD800 && code < 0xE000;
  if (is_half && at == end) return kEndsInside;
  if (is_half && (code >= 0xDC00 || !read_second_half(at, end, code))) {
    if (halves == HalfPairs::Refuse) {
      at = backslash;
      return kHalfPair;
    }
    code = 0xFFFD;
  }
  StringOutput output{decoded};
  rapidjson::UTF8<>::Encode(output, code);
  return {};
}

std::string_view read_escape(const char*& at, const char* end, std::string& decoded,
                             HalfPairs halves) {
  ++at;
  if (at == end) return kEndsInside;
  if (*at == 'u') return read_code_point(++at, end, decoded, halves);
  const char plain = unescaped(*at);
  if (plain == 0) {
    --at;
    return "an unknown escape";
  }
  decoded += plain;
  ++at;
  return {};
}

}  // namespace

std::string_view read_string_token(const char*& at, const char* end, std::string& decoded,
                                   HalfPairs halves) {
  for (;;) {
    const char* const stop = end_of_run(at, end);
    decoded.append(at, stop);
    at = stop;
    if (at == end) return kEndsInside;
    if (*at == '"') {
      ++at;
      return {};
    }
    if (*at != '\\') {
      return static_cast<unsigned char>(*at) < 0x20
                 ? "a control character must be escaped in a string"
                 : "the string is not valid UTF-8";
    }
    if (const auto wrong = read_escape(at, end, decoded, halves); !wrong.empty()) return wrong;
  }
}

}  // namespace host::json
