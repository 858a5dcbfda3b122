// Computes the changes between two texts of several lines.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace host::upstream {

struct LineChange {
  char sign = ' ';  // '-': only in the earlier text, '+': only in the later text, ' ': in both
  std::string_view line;  // empty if `equal` is set
  std::size_t equal = 0;  // number of further lines that are in both texts and not shown
};

// Returns the changed lines in order. A line that is in both texts is shown if it is next to a
// changed line; otherwise it is only counted. If the texts are long and differ much, lines that are
// in both texts can be shown as changed: time and memory are bounded, because the texts are
// untrusted.
std::vector<LineChange> line_changes(const std::vector<std::string_view>& before,
                                     const std::vector<std::string_view>& after);

}  // namespace host::upstream
