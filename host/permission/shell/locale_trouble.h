// Finds bytes that a shell reads differently in different locales. In some charsets, such as SJIS,
// GBK and Big5, the second byte of a character can be the byte of a backslash or of `|`. The shell
// bash reads a character of two bytes as a whole, and finds no backslash and no `|` in it. In
// charsets of single bytes, such as ISO-8859-1, bash takes letters beyond ASCII for a part of a
// variable's name.
#pragma once

#include <string_view>

namespace host::permission::shell {

constexpr bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

// Returns the reason why the meaning of the command depends on the locale. If the function finds no
// reason, the result is empty. The function locale_trouble() ignores `|` and `$`, because scan()
// checks them (words.h).
std::string_view locale_trouble(std::string_view command);

}  // namespace host::permission::shell
