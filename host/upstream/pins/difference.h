// Computes the difference between two definitions of a tool, as lines for a reviewer.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace host::upstream {

// A difference has at most kMostLines lines and kMostDifferenceBytes bytes, because definitions are
// untrusted.
inline constexpr std::size_t kMostLines = 400;
inline constexpr std::size_t kMostDifferenceBytes = 64u << 10u;

struct Difference {
  std::vector<std::string> lines;
  bool is_cut = false;  // true: lines are missing; the last line says how many
};

// Returns lines like "- description: Adds two numbers" and "+ description: ...". The result has one
// line for each value that differs, in the order of the definition. If a text has several lines,
// the result has one line for each line that differs. A line of the result that begins with two
// spaces shows a line that is equal in both texts, or the number of equal lines. If a member's name
// has characters other than ASCII letters, digits, `_`, `-` and `$`, the name is written as
// ["its name"], so that no name can look like a path of several names. difference() replaces
// invisible characters by visible ones like <U+200B>. If `before` is empty, the tool is new.
// `hide` replaces secret values in the texts and names that are shown; null: there are none.
using Hide = std::function<std::string(std::string_view text)>;
Difference difference(std::string_view before, std::string_view after, const Hide& hide = nullptr);

}  // namespace host::upstream
