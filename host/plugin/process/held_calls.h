// The calls that one worker is executing. The class HeldCalls makes the results of the worker's
// calls from the worker's frames. Only HeldCalls looks up call ids that come from the worker. The
// functions of this header are called on the I/O thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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
  // `slots` contains the slots of the same worker, and must outlive this object.
  HeldCalls(std::uint64_t result_bytes, PayloadSlots& slots)
      : result_bytes_(result_bytes), slots_(slots) {}

  // Appends to `out` the frame that starts the call. If the arguments are too large, the function
  // finishes the call with an error instead. `retried` is true if an earlier worker died while it
  // had the call.
  void begin(std::shared_ptr<tool::Invocation> invocation, bool retried, std::string& out);
  // Writes the Cancel frame of the call. The worker must end the call by `grace_end`.
  void cancel(const tool::Invocation& invocation, SteadyTime grace_end, std::string& out);

  // The actions that the caller must take because some calls did not stop in time.
  struct Due {
    std::uint64_t kill = 0;  // id of the call because of which the worker must end now; 0: none
    // If true, the caller must give the worker no new calls, because a call did not stop and other
    // calls still run in the worker.
    bool aside = false;
  };
  // Cancels calls that are past their deadlines. If a call does not stop at its deadline, the
  // caller of tick() kills the worker, which ends all calls of the worker. A call that was
  // cancelled before its deadline can continue until the deadline if the worker also runs other
  // calls.
  Due tick(SteadyTime now, std::chrono::milliseconds grace, std::string& out);
  // True if a call is past its deadline, or past the grace time of its cancel. The host can kill a
  // worker with an overdue call.
  bool overdue(SteadyTime now) const;
  // Ends the invocations of cancelled calls that have not stopped in time with the Error Cancelled,
  // although the plugin's code still runs. A call whose tool has a limit on concurrent calls is not
  // ended, because its code still uses what the limit protects.
  void let_go_of_overdue(SteadyTime now);
  // let_go_of_dying() is let_go_of_overdue() for a worker that was killed and has not ended yet. It
  // ends only calls that are overdue for 10 s. Calls that end together with the worker process get
  // a better error.
  void let_go_of_dying(SteadyTime now);

  // push(), done() and progress() each handle one type of frame from the worker. An Error is a
  // fault of the worker, and the caller must end the worker.
  Result<void> push(const Frame& frame);
  Result<void> done(const Frame& frame);
  Result<void> progress(const Frame& frame);
  // Writes a line of a call to the log. log() ignores the line if the call is not open.
  void log(std::uint64_t id, int level, std::string_view logger, std::string_view message,
           std::string_view json_fields);

  // Returns null for a call that has ended or was cancelled.
  std::shared_ptr<tool::Invocation> find(std::uint64_t id) const;
  bool empty() const { return calls_.empty(); }
  std::size_t count() const { return calls_.size(); }
  // Returns the number of all calls that the worker has begun so far.
  std::uint64_t begun() const { return next_ - 1; }
  std::vector<LostCall> take_all();

 private:
  struct Held {
    Held(std::shared_ptr<tool::Invocation> invocation, std::uint64_t result_bytes, bool was_retried)
        : call(std::move(invocation), result_bytes), retried(was_retried) {}

    PendingCall call;
    std::string piece;       // the first part of a push that consists of several records
    SteadyTime grace_end{};  // set if the call was cancelled
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
  std::size_t cancelled_ = 0;  // the number of cancelled calls in calls_
};

}  // namespace host::plugin
