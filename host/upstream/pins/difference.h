// The difference between two definitions of a tool, in lines for a reviewer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace host::upstream {

// The limit of the lines of one difference. It also limits time and memory, because definitions are
// untrusted.
inline constexpr std::size_t kMostLines = 400;
inline constexpr std::size_t kMostDifferenceBytes = 64u << 10u;

struct Difference {
  std::vector<std::string> lines;
  bool is_cut = false;  // lines are missing; the last line says how many
};

// "- description: Adds two numbers" and "+ description: ...", one for each value that differs, by
// its place in the definition. A long text gives several lines. A member whose name is not plain is
// written as ["its name"], so that no name can look like a different place. Invisible characters
// are written out, like <U+200B>. `before` empty: the tool is new.
Difference difference(std::string_view before, std::string_view after);

}  // namespace host::upstream
