// What differs between two definitions of a tool, in lines for a person.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace host::upstream {

// What is shown of one difference at most. It bounds time and memory too: definitions are foreign.
inline constexpr std::size_t kMostLines = 400;
inline constexpr std::size_t kMostDifferenceBytes = 64u << 10u;

struct Difference {
  std::vector<std::string> lines;
  bool is_cut = false;  // the lines do not show all; the last one says how many are left out
};

// "- description: Adds two numbers" and "+ description: ...", one for each value that differs, by
// its place in the definition. A long text gives several lines. A member whose name is not plain is
// written as ["its name"], so that no name can look like another place. Characters that a reader
// would not see are written out, like <U+200B>. `before` empty: the tool is new.
Difference difference(std::string_view before, std::string_view after);

}  // namespace host::upstream
