// Computes the pause before the next start of an upstream. The pause doubles with each failure in a
// row, up to a limit. After a good connection, the next pause is short again. A connection is good
// if it was ready for kGood, or for the longest pause if this is shorter. The session of a good
// connection, and a session that has answered a call, can be followed by a new session immediately.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/clock.h"

namespace host::upstream {

class Backoff {
 public:
  static constexpr std::chrono::seconds kGood{10};

  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds most)
      : first_(first), most_(std::max(first, most)) {}

  void became_ready(SteadyTime now) { ready_since_ = now; }

  // Records that a start failed or a connection ended. Returns the pause before the next start.
  std::chrono::milliseconds failed(SteadyTime now) {
    take_end(now);
    const std::uint32_t doublings = std::min<std::uint32_t>(failures_++, 20);
    return std::min(most_, first_ * (std::int64_t{1} << doublings));
  }

  // Records that the upstream has forgotten the session of a connection. Returns true if the next
  // session can begin immediately. Otherwise, call failed(). A session that was not good and has
  // answered no call is followed by a new session immediately only if the session before it was not
  // forgotten in the same way.
  bool forgot_session(SteadyTime now, bool answered_a_call) {
    take_end(now);
    if (answered_a_call) reset();
    return !std::exchange(began_again_, true);
  }

  void reset() {
    failures_ = 0;
    began_again_ = false;
  }

 private:
  void take_end(SteadyTime now) {
    const SteadyTime since = std::exchange(ready_since_, SteadyTime{});
    if (since != SteadyTime{} && now - since >= std::min<SteadyTime::duration>(kGood, most_))
      reset();
  }

  const std::chrono::milliseconds first_;
  const std::chrono::milliseconds most_;
  std::uint32_t failures_ = 0;
  SteadyTime ready_since_{};
  bool began_again_ = false;  // a session began immediately since the last good connection
};

}  // namespace host::upstream
