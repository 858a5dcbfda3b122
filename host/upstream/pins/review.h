// What waits in the pins of one upstream, as a person reviews it. Made once for each change, so
// that a look costs a copy and no comparison.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/pin_store.h"

namespace host::upstream {

// Of all definitions of an upstream that wait. Those beyond it are shown one by one, whole.
inline constexpr std::size_t kMostReviewBytes = 1u << 20u;

struct HeldChange {
  std::string tool;
  bool is_new = false;  // the upstream did not have it before
  std::string digest;   // of the definition that waits
  WallTime since{};
  std::vector<std::string> lines;  // see difference.h
  bool is_cut = false;             // the lines do not show all of it
};

class Review {
 public:
  // `held`: all that wait now.
  void take(const std::vector<store::PinRecord>& held);

  const std::vector<HeldChange>& changes() const { return changes_; }
  // Whether all that waits is shown.
  bool is_whole() const;

 private:
  std::vector<HeldChange> changes_;
};

}  // namespace host::upstream
