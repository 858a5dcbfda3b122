// Computes the pause before the next start of an upstream. The pause before the next start doubles
// with each failure in a row, up to a limit. After a connection that lasted long enough, the pause
// before the next start is short again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace host::upstream {

class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds most)
      : first_(first), most_(std::max(first, most)) {}

  void became_ready(SteadyTime now) { ready_since_ = now; }

  // Returns true if the connection was ready long enough (at least the longest pause) to reset the
  // pause.
  bool lasted(SteadyTime now) const {
    return ready_since_ != SteadyTime{} && now - ready_since_ >= most_;
  }

  // Records that a start failed or a connection ended. Returns the pause before the next start.
  std::chrono::milliseconds failed(SteadyTime now) {
    if (lasted(now)) failures_ = 0;
    ready_since_ = {};
    const std::uint32_t doublings = std::min<std::uint32_t>(failures_++, 20);
    return std::min(most_, first_ * (std::int64_t{1} << doublings));
  }

  void reset() { failures_ = 0; }
  std::uint32_t failures() const { return failures_; }

 private:
  const std::chrono::milliseconds first_;
  const std::chrono::milliseconds most_;
  std::uint32_t failures_ = 0;
  SteadyTime ready_since_{};
};

}  // namespace host::upstream
