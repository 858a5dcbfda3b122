// One call as its provider sees it: what to run, callbacks for progress and logs, and finish().
//
// The executor creates it, starts the provider and waits for the first of finish(), the deadline
// and a cancel. A provider that finishes later is ignored, but keeps its slot until then.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/result.h"
#include "tool/call/function.h"
#include "tool/call/passport.h"
#include "tool/call/result.h"
#include "tool/definition/question.h"
#include "tool/definition/tool.h"

namespace host::tool {

class Invocation {
 public:
  using Finish = std::function<void(Result<CallResult>)>;
  using Progress = std::function<void(double done, double total, std::string message)>;
  using Log = std::function<void(int level, std::string logger, std::string message,
                                 std::string json_fields)>;

  std::shared_ptr<const Tool> tool;  // null: the function belongs to no tool
  Function function = Function::Call;
  std::string name;       // the URI or prompt, if the function belongs to no tool
  std::string arguments;  // JSON object text; empty for ReadResource
  std::string context;    // JSON object text, for the check functions
  PassportPtr passport = unnamed_passport();  // of the call; never null
  SteadyTime deadline{};                      // time_point{}: no deadline
  Abilities abilities;                        // of the client that made the call
  Continuation continuation;
  std::shared_ptr<Cancel> cancel;

  bool nonblocking = false;     // an interception that answers within microseconds
  bool judged_to_read = false;  // see Call
  bool approved = false;
  bool outlives = false;

  // For the audit log: how the invocation ended without an answer, in a word of the provider. Set
  // before finish().
  std::string outcome;

  // Set by refuse(): the provider never started the call. So its receipts (approval, code, answers)
  // can be given back.
  bool refused = false;

  // Called at the end of the invocation, on the thread that calls finish(), before the waiting code
  // continues. Set by the provider, before any code can call finish().
  std::function<void(const Result<CallResult>&)> on_end;

  // Only these may be called on any thread; they switch to the I/O thread themselves. Set by the
  // executor.
  Progress on_progress;  // null: no observer
  Log on_log;            // null: no listener

  // Ends the invocation. A second call is ignored and returns false. Any thread.
  bool finish(Result<CallResult> result) { return end(std::move(result), false); }
  // The same, for an invocation that was never started. I/O thread only.
  bool refuse(Result<CallResult> why) { return end(std::move(why), true); }
  void set_on_finish(Finish act) {
    const std::lock_guard lock(mutex_);
    on_finish_ = std::move(act);
  }

 private:
  bool end(Result<CallResult> result, bool never_started) {
    Finish act;
    {
      const std::lock_guard lock(mutex_);
      std::swap(act, on_finish_);
    }
    if (!act) return false;
    if (never_started) refused = true;  // else the I/O thread may be reading it
    if (on_end) on_end(result);
    act(std::move(result));
    return true;
  }

  std::mutex mutex_;  // guards on_finish_
  Finish on_finish_;
};

// True if this call only reads, as far as the host trusts its tool. If the tool declares that all
// its calls only read, the result of its check function for one call is ignored.
inline bool only_reads(const Invocation& call) {
  if (call.function != Function::Call || !call.tool) return false;
  return call.tool->declared().read_only ||
         (call.tool->reads() != Reads::Never && call.judged_to_read);
}

}  // namespace host::tool
