#include "upstream/pins/line_changes.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace host::upstream {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kMostCells = 1'000'000;  // of the table, with 4 bytes each

// The lines between the first and the last change. Lines are compared by number, because a hostile
// text can have long lines that differ only at their ends.
class Middle {
 public:
  Middle(const Lines& before, const Lines& after, std::size_t begin, std::size_t end)
      : old_(numbered(before, begin, end)), now_(numbered(after, begin, end)) {
    if (old_.size() * now_.size() > kMostCells) return;
    common_.resize((old_.size() + 1) * (now_.size() + 1));
    for (std::size_t i = old_.size(); i-- > 0;) {
      for (std::size_t j = now_.size(); j-- > 0;) {
        at(i, j) = old_[i] == now_[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
  }

  std::size_t old_size() const { return old_.size(); }
  std::size_t now_size() const { return now_.size(); }
  bool are_same(std::size_t i, std::size_t j) const {
    return !common_.empty() && i < old_.size() && j < now_.size() && old_[i] == now_[j];
  }
  bool is_removed_next(std::size_t i, std::size_t j) const {
    if (i == old_.size() || j == now_.size()) return j == now_.size();
    return common_.empty() || at(i + 1, j) >= at(i, j + 1);
  }

 private:
  std::vector<std::size_t> numbered(const Lines& lines, std::size_t begin, std::size_t end) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = begin; i + end < lines.size(); ++i)
      numbers.push_back(numbers_.emplace(lines[i], numbers_.size()).first->second);
    return numbers;
  }

  // How many lines the texts have in common from these lines on.
  std::uint32_t& at(std::size_t i, std::size_t j) { return common_[i * (now_.size() + 1) + j]; }
  std::uint32_t at(std::size_t i, std::size_t j) const {
    return common_[i * (now_.size() + 1) + j];
  }

  std::map<std::string_view, std::size_t> numbers_;
  const std::vector<std::size_t> old_;
  const std::vector<std::size_t> now_;
  std::vector<std::uint32_t> common_;  // empty: the texts are too long for the table
};

std::vector<LineChange> shortened(const std::vector<LineChange>& all) {
  const auto is_changed = [&](std::size_t i) { return i < all.size() && all[i].sign != ' '; };
  std::vector<LineChange> out;
  std::size_t equal = 0;
  const auto tell_equal = [&] {
    if (equal > 0) out.push_back({' ', {}, equal});
    equal = 0;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_near = is_changed(i) || is_changed(i + 1) || (i > 0 && is_changed(i - 1));
    if (!is_near) {
      ++equal;
      continue;
    }
    tell_equal();
    out.push_back(all[i]);
  }
  tell_equal();
  return out;
}

}  // namespace

std::vector<LineChange> line_changes(const Lines& before, const Lines& after) {
  const std::size_t least = std::min(before.size(), after.size());
  std::size_t begin = 0;
  while (begin < least && before[begin] == after[begin]) ++begin;
  std::size_t end = 0;
  while (begin + end < least && before[before.size() - 1 - end] == after[after.size() - 1 - end])
    ++end;
  std::vector<LineChange> all;
  for (std::size_t i = 0; i < begin; ++i) all.push_back({' ', before[i]});
  const Middle middle(before, after, begin, end);
  for (std::size_t i = 0, j = 0; i < middle.old_size() || j < middle.now_size();) {
    if (middle.are_same(i, j)) {
      all.push_back({' ', before[begin + i]});
      ++i;
      ++j;
    } else if (middle.is_removed_next(i, j)) {
      all.push_back({'-', before[begin + i++]});
    } else {
      all.push_back({'+', after[begin + j++]});
    }
  }
  for (std::size_t i = before.size() - end; i < before.size(); ++i) all.push_back({' ', before[i]});
  return shortened(all);
}

}  // namespace host::upstream
