// Bytes of strangers as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// How many of the first bytes are whole, valid UTF-8: all of them, for a text.
std::size_t valid_utf8(std::string_view bytes);

// The same text with U+FFFD for each byte that is none, and for control characters save tab,
// newline and carriage return: a terminal's sequences do nothing to who reads it.
std::string printable(std::string_view bytes);

// At most `most` bytes, no character cut in two.
std::string_view cut(std::string_view text, std::size_t most);
