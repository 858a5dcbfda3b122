// Limits the work that judging one call does. The judging stops everything else that its thread
// does, and the text that is judged can be made to cost much.
#pragma once

#include <algorithm>
#include <cstddef>

namespace host::permission {

// A step is about half a microsecond: one name of a folder is read and compared.
class Budget {
 public:
  // Each function returns false if the budget is used up. It then stays used up.
  bool take(std::size_t steps) {
    left_ -= std::min(steps, left_);
    return left_ > 0;
  }
  // For one look at a path: system calls follow its links, and its parts are compared.
  bool take_path(std::size_t bytes) { return take(kStepsOfAPath + bytes / kBytesOfAStep); }
  // For the begin of a look into a folder. Each entry costs steps of its own.
  bool take_folder() { return take(kStepsOfAFolder); }
  // For a comparison of a pattern with some names.
  bool take_pattern(std::size_t bytes) { return take(1 + bytes / kBytesOfAStep); }

 private:
  static constexpr std::size_t kStepsOfAPath = 16;
  static constexpr std::size_t kStepsOfAFolder = 64;
  static constexpr std::size_t kBytesOfAStep = 8;

  std::size_t left_ = 1u << 18u;
};

}  // namespace host::permission
