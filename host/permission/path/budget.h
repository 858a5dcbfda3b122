// Limits the work of the decision about one call. Without a limit, a client could block the I/O
// thread with a command or path whose analysis takes long.
#pragma once

#include <algorithm>
#include <cstddef>

namespace host::permission {

// A step is about half a microsecond: the time to read one entry's name in a folder and compare it.
class Budget {
 public:
  // Each function takes steps. When the budget is used up, every function of the Budget returns
  // false.
  bool take(std::size_t steps) {
    left_ -= std::min(steps, left_);
    return left_ > 0;
  }
  // Takes steps from the budget for looking up one path: following its links and comparing its
  // parts.
  bool take_path(std::size_t bytes) { return take(kStepsOfAPath + bytes / kBytesOfAStep); }
  // Takes the cost of opening a folder from the budget, without the cost of the folder's entries.
  bool take_folder() { return take(kStepsOfAFolder); }
  // Takes steps from the budget for comparing a name with a pattern of `bytes` bytes.
  bool take_pattern(std::size_t bytes) { return take(1 + bytes / kBytesOfAStep); }

 private:
  static constexpr std::size_t kStepsOfAPath = 16;
  static constexpr std::size_t kStepsOfAFolder = 64;
  static constexpr std::size_t kBytesOfAStep = 8;

  std::size_t left_ = 1u << 18u;
};

}  // namespace host::permission
