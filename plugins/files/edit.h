// One text put in the place of another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

struct Edited {
  std::string text;
  std::size_t count;       // of replacements
  std::size_t first_line;  // where the first one starts, from 1
};

// Throws toolpost::Error where `old` is empty, is not there, or is there several times and not all
// are meant; the message says how many there are and where. Also where the new text would have more
// than `most` bytes, before there is any of it.
Edited edit(std::string_view text, std::string_view old, std::string_view replacement, bool all,
            std::size_t most);
