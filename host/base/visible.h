// Untrusted text made visible: characters that a reader does not see, or sees elsewhere than they
// stand (controls, bidirectional and zero-width characters, unusual spaces, unassigned and private
// ones), and bytes that are not UTF-8. The console marks the same characters
// (admin/page/hidden.js).
#pragma once

#include <string>
#include <string_view>

namespace host {

// Not for the line feed, the tab and the plain space.
bool is_hidden(char32_t point);

// How a hidden character is written: for people as <U+202E> (a byte that is not UTF-8: <0x9B>),
// within strings of JSON as \u202e, of TOML as \u202E. JSON and TOML name such a byte U+FFFD.
enum class Marking { Text, Json, Toml };

struct Character {
  std::string_view bytes;
  char32_t point;  // U+FFFD where `valid` is false: then `bytes` is one byte
  bool valid;
};
// `text` is not empty.
Character first_character(std::string_view text);

// The mark in the place of one character, whatever it is.
std::string mark_of(const Character& character, Marking marking);

// The text with a mark in the place of each hidden character and each byte that is not UTF-8.
std::string marked(std::string_view text, Marking marking = Marking::Text);

// How many bytes at the end of `text` are the begin of a character whose rest is missing: 0 to 3.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace host
