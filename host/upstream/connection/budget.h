// Limits the costs that one upstream can cause, over all streams of the upstream together. The
// limits of a Budget apply to read bytes, and to the I/O thread's time for messages that the host
// did not request. Code that reads from the upstream reports each cost to the Budget. After each
// report, the code pauses for the time that debt() returns. Use a Budget only on the I/O thread.
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

  // If `bytes_per_s` is 0, the bytes per second are not limited. `unfinished_bytes` is the limit
  // for the bytes of all incomplete messages together.
  Budget(std::uint64_t bytes_per_s, std::size_t unfinished_bytes)
      : bytes_per_s_(bytes_per_s), unfinished_most_(unfinished_bytes) {}

  // Records that `bytes` bytes were read, and that handling them took the time `work`.
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

  // Records that the current handler worked for the time `work` on the response to a request of the
  // host. Work that is recorded with excuse() does not use up the upstream's budget.
  void excuse(Duration work) { excused_ += work; }

  // debt() returns how long the reader must pause. 0 means no pause.
  Duration debt(SteadyTime now) const {
    return std::max({bytes_paid_ - now, work_paid_ - now, Duration(0)});
  }

  // Records that an incomplete message grew from `before` to `after` bytes. Returns false if all
  // incomplete messages together are too large.
  bool keep(std::size_t before, std::size_t after) {
    unfinished_ = unfinished_ - before + after;
    return unfinished_ <= unfinished_most_;
  }
  std::size_t most_unfinished() const { return unfinished_most_; }

  // kSlice is the longest time that a handler can work without a break.
  static constexpr Duration kSlice = std::chrono::milliseconds(2);

 private:
  // An upstream can use one tenth of the I/O thread's time. The unused time of the last second can
  // be used later without a pause.
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

// A Work object measures the time of one handler's work, and reports the time to the budget at the
// end.
class Work {
 public:
  Work(std::shared_ptr<Budget> budget, std::size_t bytes)
      : budget_(std::move(budget)), bytes_(bytes), began_(steady_now()) {}
  ~Work() { end(); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  bool is_long() const { return steady_now() - began_ > Budget::kSlice; }
  // Ends the measurement. Returns how long the reader of the upstream must pause.
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
