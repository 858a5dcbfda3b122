// Makes hidden characters of untrusted text visible: controls, bidirectional and zero-width
// characters, unusual spaces, unassigned and private characters, and bytes that are not UTF-8. The
// console also marks hidden characters (admin/page/part/hidden.js).
#pragma once

#include <string>
#include <string_view>

namespace host {

// Returns true if `point` is a hidden character. The function is_hidden() returns false for line
// feed, tab and the plain space.
bool is_hidden(char32_t point);

// Returns true if a reader sees nothing of the text: it is empty, or has only spaces, line feeds,
// tabs and hidden characters.
bool is_blank(std::string_view text);

// The enumeration Marking says in which form a hidden character is made visible. Marking::Text
// writes U+202E as <U+202E>, and a byte that is not UTF-8 as <0x9B>. Marking::Json writes U+202E as
// \u202e, for strings in JSON. Marking::Toml writes U+202E as \u202E, for strings in TOML. In JSON
// and TOML, a byte that is not UTF-8 becomes U+FFFD.
enum class Marking { Text, Json, Toml };

struct Character {
  std::string_view bytes;
  char32_t point;  // U+FFFD if `valid` is false; then `bytes` is one byte
  bool valid;
};
// Returns the first character of `text`, which must not be empty.
Character first_character(std::string_view text);

// Returns the visible text for one character, even if the character is not hidden.
std::string mark_of(const Character& character, Marking marking);

// Replaces each hidden character, and each byte that is not UTF-8, by a visible text.
std::string marked(std::string_view text, Marking marking = Marking::Text);

// Returns the number of bytes at the end of `text` that are the beginning of an incomplete
// character: 0 to 3.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace host
