// The calls that one worker executes. The class turns the worker's frames into the results of these
// calls. Only this class looks up call ids that come from the worker. I/O thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "plugin/answer/pending_call.h"
#include "plugin/process/worker_death.h"
#include "plugin/wire/frame.h"
#include "plugin/wire/payload_slots.h"
#include "plugin/wire/worker_messages.h"

namespace host::plugin {

class HeldCalls {
 public:
  // `slots`: the slots of the same worker; must outlive this object.
  HeldCalls(std::uint64_t result_bytes, PayloadSlots& slots)
      : result_bytes_(result_bytes), slots_(slots) {}

  // Writes the frame with the call to `out`. If the arguments are too large, finishes the call with
  // an error instead. `retried`: an earlier worker died while it had the call.
  void begin(std::shared_ptr<tool::Invocation> invocation, bool retried, std::string& out);
  // Writes the call's Cancel frame. The worker must end the call by `grace_end`.
  void cancel(const tool::Invocation& invocation, SteadyTime grace_end, std::string& out);

  // What the caller must do about calls that did not stop in time.
  struct Due {
    std::uint64_t kill = 0;  // the call for which the worker ends now; 0: none
    // Such a call and other calls run in the worker: give the worker no new calls.
    bool aside = false;
  };
  // Cancels calls that are past their deadlines. The worker is killed for a call that does not
  // stop, which ends all its calls. A call that was cancelled before its deadline must not cause
  // that. So if other calls run in the worker, the cancelled call has time until its deadline.
  Due tick(SteadyTime now, std::chrono::milliseconds grace, std::string& out);
  // True if a call is past its deadline, or past the grace time of its cancel. Then the worker may
  // be killed.
  bool overdue(SteadyTime now) const;
  // Finishes cancelled calls that have not stopped. Exception: a call is not finished if its tool
  // has a limit on concurrent calls. Such a limit protects a resource outside the worker, and the
  // call still uses the resource.
  void let_go_of_overdue(SteadyTime now);

  // Handle the worker's frames. An Error is a fault of the worker, and the worker must be ended.
  Result<void> push(const Frame& frame);
  Result<void> done(const Frame& frame);
  Result<void> progress(const Frame& frame);
  // Logs a line of a call. Ignored if there is no such call.
  void log(std::uint64_t id, int level, std::string_view logger, std::string_view message,
           std::string_view json_fields);

  // Returns null if the call has ended or was cancelled.
  std::shared_ptr<tool::Invocation> find(std::uint64_t id) const;
  bool empty() const { return calls_.empty(); }
  std::size_t count() const { return calls_.size(); }
  // The number of all calls that the worker has begun so far.
  std::uint64_t begun() const { return next_ - 1; }
  std::vector<LostCall> take_all();

 private:
  struct Held {
    PendingCall call;
    std::string piece;       // of a push that consists of several records
    SteadyTime grace_end{};  // set once it was cancelled
    bool cancelled = false;
    bool retried = false;

    bool past_deadline(SteadyTime now) const;
    bool past_grace(SteadyTime now) const { return cancelled && now >= grace_end; }
  };

  void cancel(std::uint64_t id, Held& held, SteadyTime grace_end, std::string& out);
  Result<void> take(Held& held, BodyReader& body);
  Result<void> take(Held& held, Record record);

  const std::uint64_t result_bytes_;
  PayloadSlots& slots_;
  std::unordered_map<std::uint64_t, Held> calls_;
  std::uint64_t next_ = 1;
  std::size_t cancelled_ = 0;  // the cancelled calls in calls_
};

}  // namespace host::plugin
