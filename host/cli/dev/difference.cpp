#include "cli/dev/difference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cli/dev/lines.h"

namespace host::cli::dev {
namespace {

constexpr std::size_t kMostLines = 1000;  // of each; the table is their product

}  // namespace

std::string difference(std::string_view before, std::string_view after) {
  const auto old_lines = lines_of(before, kMostLines);
  const auto new_lines = lines_of(after, kMostLines);
  const std::size_t width = new_lines.size() + 1;
  // The longest common subsequence of what follows each pair of places.
  std::vector<std::uint32_t> common((old_lines.size() + 1) * width);
  for (std::size_t i = old_lines.size(); i-- > 0;) {
    for (std::size_t k = new_lines.size(); k-- > 0;) {
      common[i * width + k] = old_lines[i] == new_lines[k] ? common[(i + 1) * width + k + 1] + 1
                                                           : std::max(common[(i + 1) * width + k],
                                                                      common[i * width + k + 1]);
    }
  }
  std::string out;
  const auto tell = [&out](const char* mark, std::string_view line) {
    out.append(mark).append(line) += '\n';
  };
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < old_lines.size() || k < new_lines.size()) {
    if (i < old_lines.size() && k < new_lines.size() && old_lines[i] == new_lines[k]) {
      ++i, ++k;
    } else if (k == new_lines.size() ||
               (i < old_lines.size() && common[(i + 1) * width + k] >= common[i * width + k + 1])) {
      tell("- ", old_lines[i++]);
    } else {
      tell("+ ", new_lines[k++]);
    }
  }
  return out;
}

}  // namespace host::cli::dev
