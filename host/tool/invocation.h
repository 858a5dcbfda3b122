// One call as its provider sees it: what to run, where to push what happens meanwhile, and
// finish().
//
// The executor makes it, starts the provider and waits for finish(), the deadline or a cancel,
// whichever is first; a provider that comes later is ignored, but holds its slot until then.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/result.h"
#include "tool/call_context.h"
#include "tool/caller.h"
#include "tool/question.h"
#include "tool/result.h"
#include "tool/tool.h"

namespace host::tool {

// Which of the provider's functions is wanted. All but Call answer with CallResult::structured: the
// four checks of a tool with their own value, those below as offer.h says.
enum class Function {
  Call,
  CheckPermissions,
  MatchRule,
  GenerateSuggestions,
  CheckReadOnly,
  // Of the provider, not of a tool: Invocation::tool is null.
  ReadResource,  // arguments {"uri"}
  GetPrompt,     // arguments {"name", "arguments": {name: text}}
  Complete,      // arguments {"ref", "argument", "context"} of MCP's completion/complete
  // Asked by the host itself, for Provider::offer().
  ListResources,
  ListPrompts,
};

class Invocation {
 public:
  using Finish = std::function<void(Result<CallResult>)>;
  using Progress = std::function<void(double done, double total, std::string message)>;
  using Log = std::function<void(int level, std::string logger, std::string message,
                                 std::string json_fields)>;

  std::shared_ptr<const Tool> tool;  // null: the function is not a tool's
  Function function = Function::Call;
  std::string arguments;  // JSON object text
  std::string context;    // JSON object text, for the check functions
  std::string id;
  std::string principal;
  std::string session;
  std::string traceparent;
  std::string tracestate;
  std::string baggage;
  std::shared_ptr<const CallContext> given;  // along with the call; null: nothing
  std::string peer;
  std::shared_ptr<const Caller> caller;  // null: a peer's, or the host's own
  SteadyTime deadline{};                 // time_point{}: none
  Abilities abilities;                   // of the client that waits for it
  Continuation continuation;
  std::shared_ptr<Cancel> cancel;

  bool judged_to_read = false;  // see Call
  bool approved = false;

  // For the audit: the provider's own word for an end that is no answer, set before finish().
  std::string outcome;

  // Hears of the end before whoever waits for it, on whatever thread it comes. The provider's own:
  // set before anything could finish it.
  std::function<void(const Result<CallResult>&)> on_end;

  // May be called on any thread, these alone; each takes itself to the I/O thread. Set by the
  // executor.
  Progress on_progress;  // null: nobody watches
  Log on_log;            // null: nobody listens

  // Ends it, exactly once; a second time does nothing and returns false. Any thread.
  bool finish(Result<CallResult> result) {
    Finish act;
    {
      const std::lock_guard lock(mutex_);
      std::swap(act, on_finish_);
    }
    if (!act) return false;
    if (on_end) on_end(result);
    act(std::move(result));
    return true;
  }
  void set_on_finish(Finish act) {
    const std::lock_guard lock(mutex_);
    on_finish_ = std::move(act);
  }

 private:
  std::mutex mutex_;  // guards on_finish_
  Finish on_finish_;
};

// Whether this call is one that only reads, as far as its tool is believed. A tool that says it of
// all its calls is held to that, whatever its check says of one.
inline bool only_reads(const Invocation& call) {
  if (call.function != Function::Call || !call.tool) return false;
  return call.tool->declared().read_only ||
         (call.tool->reads() != Reads::Never && call.judged_to_read);
}

}  // namespace host::tool
