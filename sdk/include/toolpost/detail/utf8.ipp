// The bodies of utf8.hpp.
#pragma once

#include "toolpost/detail/utf8.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE bool is_utf8_tail(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Returns the length of the character at the beginning of the text, or 0 if there is none.
TOOLPOST_INLINE std::size_t utf8_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_utf8_tail(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  // Overlong forms, surrogates, and code points above U+10FFFF.
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : size;
}

}  // namespace detail

TOOLPOST_INLINE std::size_t valid_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t size = detail::utf8_character(bytes.substr(at));
    if (size == 0) break;
    at += size;
  }
  return at;
}

TOOLPOST_INLINE std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  // A character has at most three bytes after its first.
  for (int step = 0; step < 3 && most > 0 && detail::is_utf8_tail(text[most]); ++step) --most;
  return text.substr(0, most);
}

TOOLPOST_INLINE std::string mend_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t valid = valid_utf8(bytes);
    text += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty()) break;
    text += "\xef\xbf\xbd";
    bytes.remove_prefix(1);
  }
  return text;
}

}  // namespace v1
}  // namespace toolpost
