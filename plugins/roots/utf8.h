// Bytes of strangers as text.
#pragma once

#include <string>
#include <string_view>

// The same text with U+FFFD for each byte that is none, and for control characters save tab,
// newline and carriage return: a terminal's sequences do nothing to who reads it.
std::string printable(std::string_view bytes);
