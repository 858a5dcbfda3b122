// How much of the I/O thread the arguments of one principal may take. A schema with a costly
// pattern can use up the whole time limit of one check, so many such calls would hold up everybody.
// A principal that used more than its share waits, and the calls of others pass. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "tool/call/call.h"

namespace host::router {

class CheckTurns {
 public:
  // `clock` must outlive it.
  explicit CheckTurns(const Clock& clock) : clock_(clock) {}

  // Waits until the principal of the call may have arguments checked. Returns at once if its checks
  // were quick. Unavailable: too many of its calls wait already. Cancelled: the call was.
  boost::asio::awaitable<Result<void>> wait(const tool::Call& call);
  // A check of the principal of the call took this much CPU time.
  void took(const tool::Call& call, std::chrono::nanoseconds time);

 private:
  // Checks that are quicker count for nothing.
  static constexpr std::chrono::milliseconds kQuick{1};
  // A principal may use a tenth of the thread: each check keeps it away for ten times its length,
  // if that is more than kAtOnce.
  static constexpr int kShare = 10;
  static constexpr std::chrono::milliseconds kAtOnce{1000};
  static constexpr std::size_t kMostWaiting = 64;  // calls of one principal

  struct Use {
    SteadyTime paid_at{};  // when what it used is made up for
    std::size_t waiting = 0;
  };
  std::chrono::nanoseconds pause_of(const std::string& principal) const;
  void forget(SteadyTime now);

  const Clock& clock_;
  std::map<std::string, Use> uses_;  // by principal: of those that wait or have to make up
};

}  // namespace host::router
