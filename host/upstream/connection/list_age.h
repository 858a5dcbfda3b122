// A ListAge says when the host has to read a list again, if no notification says that the list has
// changed.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/clock.h"

namespace host::upstream {

class ListAge {
 public:
  // `ttl` is the time for which the list stays valid, as the upstream states it; unset: the
  // upstream states no time.
  void set_ttl(std::optional<std::chrono::milliseconds> ttl) {
    good_for_ = ttl ? std::clamp(*ttl, kLeast, kMost) : kUsual;
  }
  // Records that the host has read the list from the upstream. After was_read(), the list is valid
  // for its `ttl` or for `rest`, whichever is longer.
  void was_read(SteadyTime now, std::chrono::nanoseconds rest) {
    retry_ = std::chrono::milliseconds(0);
    good_until_ = now + std::max<std::chrono::nanoseconds>(good_for_, rest);
  }
  // Records that the list could not be read, or not in time. After a failed read, the previous list
  // stays valid for a short time, which doubles with each failure.
  void was_not_read(SteadyTime now) {
    retry_ = std::clamp(2 * retry_, kFirstRetry, kUsual);
    good_until_ = now + retry_;
  }
  bool is_over(SteadyTime now) const { return now >= good_until_; }

 private:
  static constexpr std::chrono::milliseconds kLeast{1000};
  static constexpr std::chrono::milliseconds kUsual{60'000};
  static constexpr std::chrono::milliseconds kMost{3'600'000};
  static constexpr std::chrono::milliseconds kFirstRetry{5000};

  std::chrono::milliseconds good_for_ = kUsual;
  std::chrono::milliseconds retry_{0};
  SteadyTime good_until_{};
};

}  // namespace host::upstream
