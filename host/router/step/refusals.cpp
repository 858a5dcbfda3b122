#include "router/step/refusals.h"

#include "executor/scheduler.h"
#include "router/live/ended_call.h"
#include "router/live/live_calls.h"
#include "store/audit/audit.h"

namespace host::router {

std::optional<tool::CallResult> refusal_by_queue(const executor::Scheduler& scheduler,
                                                 tool::Call& call, const tool::Route& route) {
  if (auto why = executor::Scheduler::would_deadlock(call, route.tool)) {
    call.outcome = "would_deadlock";
    return tool::CallResult::error(*why);
  }
  if (auto why = scheduler.full(call, route.tool)) {
    call.outcome = kBusy;
    return tool::CallResult::error(*why);
  }
  return std::nullopt;
}

std::optional<tool::CallResult> refusal_by_stop(const LiveCalls& live, tool::Call& call) {
  if (!live.refuses(call)) return std::nullopt;
  call.outcome = kRefusedByStop;
  return tool::CallResult::error(kStopping);
}

std::optional<tool::CallResult> refusal_by_failing_audit(store::Audit& audit, tool::Call& call) {
  const auto may_begin = audit.may_begin();
  if (may_begin) return std::nullopt;
  call.outcome = "not_recorded";
  return tool::CallResult::error(may_begin.error().message);
}

}  // namespace host::router
