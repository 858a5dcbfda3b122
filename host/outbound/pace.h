// Limits the bytes per second of a transfer. After a pause, the transfer can immediately send as
// many bytes as it may send in one second. A Pace has no clock: the caller passes the time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace host::outbound {

class Pace {
 public:
  explicit Pace(std::uint64_t bytes_per_s) : bytes_per_s_(bytes_per_s) {}  // 0: no limit

  // Counts transferred bytes. Returns the pause before the next bytes are transferred.
  std::chrono::nanoseconds count(std::size_t bytes, SteadyTime now) {
    if (bytes_per_s_ == 0) return std::chrono::nanoseconds(0);
    const auto cost = std::chrono::nanoseconds(static_cast<std::int64_t>(
        static_cast<double>(bytes) / static_cast<double>(bytes_per_s_) * 1e9));
    paid_until_ = std::max(paid_until_, now - std::chrono::seconds(1)) + cost;
    return std::max(paid_until_ - now, SteadyTime::duration(0));
  }

 private:
  std::uint64_t bytes_per_s_;
  SteadyTime paid_until_{};
};

}  // namespace host::outbound
