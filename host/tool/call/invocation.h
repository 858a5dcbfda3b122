// An invocation is one call as its provider sees it: the function to run, callbacks for progress
// and logs, and finish().
//
// The executor creates the invocation, starts the provider, and waits for finish(), the deadline or
// a cancel. If the provider calls finish() after the deadline or the cancel, the executor ignores
// the result. The call keeps its slot (executor/scheduler.h) until the provider has finished.
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
  using Finish = std::function<void(Result<CallResult>&&)>;
  using Progress = std::function<void(double done, double total, std::string message)>;
  using Log = std::function<void(int level, std::string logger, std::string message,
                                 std::string json_fields)>;

  std::shared_ptr<const Tool> tool;  // null: the function belongs to no tool
  Function function = Function::Call;
  std::string name;       // a URI, or the name of a prompt or intercepted tool; see function.h
  std::string arguments;  // JSON object text; empty for ReadResource
  std::string context;    // JSON object text for check functions; see intercepted.h
  PassportPtr passport = unnamed_passport();  // the passport of the call; never null
  SteadyTime deadline{};                      // {}: the call has no deadline
  Abilities abilities;                        // the kinds of questions that the client supports
  Continuation continuation;
  std::shared_ptr<Cancel> cancel;

  bool nonblocking = false;     // true: the function is an interceptor's and never waits
  bool judged_to_read = false;  // see Call::judged_to_read
  bool approved = false;
  bool outlives = false;
  // The provider sets `may_have_acted` before finish() if the tool can have had an effect that a
  // second run would repeat. For example, a provider sets `may_have_acted` when the upstream died
  // during the call.
  bool may_have_acted = false;
  // JSON text of the `data` of the JSON-RPC error with which an upstream refused the call. Empty:
  // none. The provider sets `refusal_data` before it calls finish().
  std::string refusal_data;

  // `outcome` is the outcome of the call for the audit log. If the tool gave no result, `outcome`
  // is the provider's one-word reason ("crashed", "lost", "upstream_failed", or the code of the
  // call's record). If the tool gave a result, `outcome` is empty. The provider sets `outcome`
  // before it calls finish().
  std::string outcome;

  // refuse() sets `refused`: the provider never started the call. If the provider refused a call,
  // the host can give the call's receipts (approval, code, answers) back.
  bool refused = false;

  // The host calls `on_end` at the end of the invocation, on the thread that calls finish(), before
  // the waiting code continues. The provider sets `on_end` before any code can call finish().
  std::function<void(const Result<CallResult>&)> on_end;

  // Any thread can call the two functions on_progress and on_log. on_progress and on_log switch to
  // the I/O thread themselves. The executor sets on_progress and on_log.
  Progress on_progress;                // null: no observer
  Log on_log;                          // null: no listener
  bool messages_are_filtered = false;  // see Observer::filters()

  // Ends the invocation. If the invocation has already ended, finish() does nothing and returns
  // false. Any thread can call finish().
  bool finish(Result<CallResult> result) { return end(result, false); }
  // Does the same as finish() for an invocation that the provider never started. Only the I/O
  // thread can call refuse().
  bool refuse(Result<CallResult> why) { return end(why, true); }
  void set_on_finish(Finish act) {
    const std::lock_guard lock(mutex_);
    on_finish_ = std::move(act);
  }

 private:
  bool end(Result<CallResult>& result, bool never_started) {
    Finish act;
    {
      const std::lock_guard lock(mutex_);
      std::swap(act, on_finish_);
    }
    if (!act) return false;
    if (never_started) refused = true;  // after a start, the I/O thread could be reading `refused`
    if (on_end) on_end(result);
    act(std::move(result));
    return true;
  }

  std::mutex mutex_;  // guards on_finish_
  Finish on_finish_;
};

// Returns true if this call only reads, and the host trusts the tool's claim. If a tool declares
// that all its calls only read, the host ignores what the tool's check function says about one
// call.
inline bool only_reads(const Invocation& call) {
  if (call.function != Function::Call || !call.tool) return false;
  return call.tool->declared().read_only ||
         (call.tool->reads() != Reads::Never && call.judged_to_read);
}

}  // namespace host::tool
