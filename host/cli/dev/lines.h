// Splits a text into its lines, without line ends.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace host::cli::dev {

// Returns the first lines of `text`, at most `most`, as string views into `text`.
inline std::vector<std::string_view> lines_of(std::string_view text,
                                              std::size_t most = std::string_view::npos) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace host::cli::dev
