// Limits the time that the I/O thread spends on checking the arguments and results of one
// principal's calls. A costly schema can use up the whole time limit of one check, so many such
// checks would delay all clients. If a principal has used more than its share of the time, its
// calls and their responses wait. Calls of other principals continue. The functions of this header
// are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "tool/call/call.h"

namespace host::router {

class CheckTurns {
 public:
  // `clock` must outlive the CheckTurns.
  explicit CheckTurns(const Clock& clock) : clock_(clock) {}

  // Returns false if the principal's checks were quick so far, so that wait() would return
  // immediately.
  bool must_wait(const tool::Call& call) const;
  // Waits until the host may check arguments for the call's principal again. The Error Unavailable
  // means that too many calls of the principal are waiting. The Error Cancelled means that the call
  // was cancelled while it waited.
  boost::asio::awaitable<Result<void>> wait(const tool::Call& call);
  // Waits before a check of arguments that belongs to no call. `cancel` ends the wait.
  boost::asio::awaitable<Result<void>> wait(std::string principal, std::shared_ptr<Cancel> cancel);
  // The time when a check began, by the clock of the machine and by the CPU time of this thread.
  struct Began {
    SteadyTime at{};
    std::optional<std::chrono::nanoseconds> cpu;  // nullopt: not read
  };
  // Call began() before a check, and ended() after the check. The CPU time of a check is never
  // longer than its elapsed time, and the elapsed time of most checks is short. Reading the CPU
  // time takes long, so the host reads the CPU time only for some seconds after a slow check. If
  // the CPU time of a check was not read, the host uses the check's elapsed time, up to kLongest.
  Began began() const;
  void ended(const std::string& principal, const Began& began);
  // Records that a check for the principal took `time` of CPU time.
  void took(const std::string& principal, std::chrono::nanoseconds time);

 private:
  // A check that takes less CPU time than kQuick does not extend the principal's pause.
  static constexpr std::chrono::milliseconds kQuick{1};
  // On average, the checks for one principal use at most one tenth of the thread's time. After a
  // check, the principal must pause for kShare times the check's CPU time. Calls of the principal
  // wait while its remaining pause is longer than kAtOnce.
  static constexpr int kShare = 10;
  static constexpr std::chrono::milliseconds kAtOnce{1000};
  // The maximum elapsed time that ended() uses for a check whose CPU time was not read: twice the
  // time limit of one check.
  static constexpr std::chrono::milliseconds kLongest{200};
  static constexpr std::size_t kMostWaiting = 64;  // maximum number of a principal's waiting calls
  // After a slow check, the host reads the CPU time of checks for the time kMeasured.
  static constexpr std::chrono::seconds kMeasured{10};

  struct Use {
    SteadyTime paid_at{};  // the time at which the principal's pause ends
    std::size_t waiting = 0;
  };
  std::chrono::nanoseconds pause_of(const std::string& principal) const;
  void forget(SteadyTime now);

  const Clock& clock_;
  SteadyTime measured_until_{};
  std::map<std::string, Use> uses_;  // only principals with waiting calls or a pause
};

}  // namespace host::router
