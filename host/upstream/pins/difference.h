// The difference between two definitions of a tool, in lines for a reviewer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace host::upstream {

// The limits of one difference. They also limit time and memory, because definitions are untrusted.
inline constexpr std::size_t kMostLines = 400;
inline constexpr std::size_t kMostDifferenceBytes = 64u << 10u;

struct Difference {
  std::vector<std::string> lines;
  bool is_cut = false;  // lines are missing; the last line says how many
};

// "- description: Adds two numbers" and "+ description: ...", one line for each value that differs,
// in the order of the places in the definition. A long text takes several lines. A member whose
// name is not plain is written as ["its name"], so that no name can look like a different place.
// Invisible characters are replaced by visible ones like <U+200B>. `before` empty: the tool is new.
Difference difference(std::string_view before, std::string_view after);

}  // namespace host::upstream
