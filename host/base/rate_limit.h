// Limits the rate of an event: `burst` events without a pause, and after that `per_second` events
// in a second.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/clock.h"

namespace host {

class RateLimit {
 public:
  // `clock` must outlive the RateLimit.
  RateLimit(const Clock& clock, double burst, double per_second)
      : clock_(clock), burst_(burst), per_second_(per_second), left_(burst) {}

  // Returns true and counts the event if the event can happen now. Returns false if the rate limit
  // is exceeded.
  bool take() {
    const SteadyTime now = clock_.steady();
    if (refilled_) {
      const std::chrono::duration<double> passed = now - *refilled_;
      left_ = std::min(burst_, left_ + passed.count() * per_second_);
    }
    refilled_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  const Clock& clock_;
  double burst_;
  double per_second_;
  double left_;
  std::optional<SteadyTime> refilled_;
};

}  // namespace host
