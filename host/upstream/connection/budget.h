// What one upstream may cost the host, over all its streams together: bytes, and time on the I/O
// thread for what nobody asked it for, blank lines included. Whoever reads from it reports here,
// and then reads nothing for as long as the debt is. I/O thread only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.h"

namespace host::upstream {

class Budget {
 public:
  using Duration = SteadyTime::duration;

  // `bytes_per_s` 0: no limit. `unfinished_bytes`: of messages that have not arrived whole.
  Budget(std::uint64_t bytes_per_s, std::size_t unfinished_bytes)
      : bytes_per_s_(bytes_per_s), unfinished_most_(unfinished_bytes) {}

  // So many bytes were read, and so much time went by with them.
  void spend(std::size_t bytes, Duration work, SteadyTime now) {
    if (bytes_per_s_ > 0) {
      const std::chrono::duration<double> cost(static_cast<double>(bytes) /
                                               static_cast<double>(bytes_per_s_));
      pay(bytes_paid_, std::chrono::duration_cast<Duration>(cost), now);
    }
    const Duration unasked = std::max(work - excused_, Duration(0));
    excused_ = Duration(0);
    pay(work_paid_, unasked * kRestForWork, now);
  }

  // A part of the work under way was the answer to a request of the host.
  void excuse(Duration work) { excused_ += work; }

  // How long to read nothing. 0: go on.
  Duration debt(SteadyTime now) const {
    return std::max({bytes_paid_ - now, work_paid_ - now, Duration(0)});
  }

  // A message that has not arrived whole grew from `before` bytes to `after`. False: all of them
  // together are too large.
  bool keep(std::size_t before, std::size_t after) {
    unfinished_ = unfinished_ - before + after;
    return unfinished_ <= unfinished_most_;
  }
  std::size_t most_unfinished() const { return unfinished_most_; }

  // No handler works longer than this in one go.
  static constexpr Duration kSlice = std::chrono::milliseconds(2);

 private:
  // A tenth of the I/O thread's time, and a second's worth of it at once.
  static constexpr int kRestForWork = 10;
  static constexpr Duration kBurst = std::chrono::seconds(1);

  static void pay(SteadyTime& paid, Duration cost, SteadyTime now) {
    paid = std::max(paid, now - kBurst) + cost;
  }

  const std::uint64_t bytes_per_s_;
  const std::size_t unfinished_most_;
  SteadyTime bytes_paid_{};
  SteadyTime work_paid_{};
  Duration excused_{0};
  std::size_t unfinished_ = 0;
};

// The work of one handler. Reports it at its end.
class Work {
 public:
  Work(std::shared_ptr<Budget> budget, std::size_t bytes)
      : budget_(std::move(budget)), bytes_(bytes), began_(steady_now()) {}
  ~Work() { end(); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  bool is_long() const { return steady_now() - began_ > Budget::kSlice; }
  // Returns the debt after it.
  Budget::Duration end() {
    const SteadyTime now = steady_now();
    const auto budget = std::exchange(budget_, nullptr);
    if (!budget) return Budget::Duration(0);
    budget->spend(bytes_, now - began_, now);
    return budget->debt(now);
  }

 private:
  std::shared_ptr<Budget> budget_;
  const std::size_t bytes_;
  const SteadyTime began_;
};

}  // namespace host::upstream
