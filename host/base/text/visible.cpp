#include "base/text/visible.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>

namespace host {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// clang-format off
#include "base/text/hidden_characters.inc"
// clang-format on

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// The length of a character, by its first byte; 0: no character begins with it.
std::size_t length_by(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

std::string formatted(const char* format, unsigned number) {
  char text[16];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

bool is_plain(char c) {
  return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

}  // namespace

bool is_hidden(char32_t point) {
  const Range* const found =
      std::lower_bound(std::begin(kHidden), std::end(kHidden), point,
                       [](const Range& range, char32_t wanted) { return range.last < wanted; });
  return found != std::end(kHidden) && found->first <= point;
}

Character first_character(std::string_view text) {
  const Character none{text.substr(0, 1), U'\uFFFD', false};
  const std::size_t length = length_by(byte_at(text, 0));
  if (length == 0 || length > text.size()) return none;
  if (length == 1) return {text.substr(0, 1), byte_at(text, 0), true};
  char32_t point = byte_at(text, 0) & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0u) != 0x80) return none;
    point = (point << 6u) | (byte_at(text, i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (overlong || surrogate || point > 0x10FFFF) return none;
  return {text.substr(0, length), point, true};
}

std::string mark_of(const Character& character, Marking marking) {
  const auto point = static_cast<unsigned>(character.point);
  switch (marking) {
    case Marking::Text:
      return character.valid ? formatted("<U+%04X>", point)
                             : formatted("<0x%02X>", byte_at(character.bytes, 0));
    case Marking::Toml:
      return formatted(point < 0x10000 ? "\\u%04X" : "\\U%08X", point);
    case Marking::Json:
      break;
  }
  if (point < 0x10000) return formatted("\\u%04x", point);
  return formatted("\\u%04x", 0xD800 + ((point - 0x10000) >> 10u)) +
         formatted("\\u%04x", 0xDC00 + ((point - 0x10000) & 0x3FFu));
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool is_space = next.point == ' ' || next.point == '\n' || next.point == '\t';
    if (!next.valid || !(is_space || is_hidden(next.point))) return false;
    text.remove_prefix(next.bytes.size());
  }
  return true;
}

std::string marked(std::string_view text, Marking marking) {
  std::string out;
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character next = first_character(text);
    if (next.valid && !is_hidden(next.point)) {
      out += next.bytes;
    } else {
      out += mark_of(next, marking);
    }
    text.remove_prefix(next.bytes.size());
  }
  return out;
}

std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const unsigned byte = byte_at(text, text.size() - back);
    if ((byte & 0xC0u) == 0x80) continue;
    return length_by(byte) > back ? back : 0;
  }
  return 0;
}

}  // namespace host
