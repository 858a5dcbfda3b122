#include "base/text/nearest.h"

#include <algorithm>

namespace host {
namespace {

constexpr std::size_t kLongest = 64;  // no name of ours is longer

// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kLongest) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t away = distance(word, candidate);
    if (away >= least || away >= candidate.size()) continue;
    least = away;
    best = candidate;
  }
  return best;
}

std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (const std::string near = nearest(word, candidates); !near.empty()) {
    return "did you mean \"" + near + "\"?";
  }
  if (candidates.empty()) return "there is none";
  std::string all = "there is: ";
  for (const std::string_view& candidate : candidates) {
    if (&candidate != candidates.data()) all += ", ";
    all += candidate;
  }
  return all;
}

}  // namespace host
