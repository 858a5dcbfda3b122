// Limits how many messages per second an upstream can send. Answers to the host's requests do not
// count towards the limit of messages per second. Above the limit, the host pauses reading from the
// upstream, so that the upstream has to wait, and no message is lost.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace host::upstream {

class Flood {
 public:
  explicit Flood(double per_second) : per_second_(per_second), left_(per_second) {}

  // Counts one message of the upstream. Returns how long the reader must pause. 0 means no pause.
  std::chrono::milliseconds take(SteadyTime now) {
    using Seconds = std::chrono::duration<double>;
    if (last_ != SteadyTime{}) {
      left_ = std::min(per_second_, left_ + per_second_ * Seconds(now - last_).count());
    }
    last_ = now;
    left_ -= 1;
    if (left_ >= 0) return std::chrono::milliseconds(0);
    const Seconds debt(-left_ / per_second_);
    return std::max(kLeastPause, std::chrono::ceil<std::chrono::milliseconds>(debt));
  }

 private:
  // kLeastPause is the shortest pause, so that the reader does not set a timer after each message.
  static constexpr std::chrono::milliseconds kLeastPause{20};

  const double per_second_;
  double left_;
  SteadyTime last_{};
};

}  // namespace host::upstream
