// The reasons for which the host refuses a call without asking anybody. Each function returns the
// result of the refused call and sets the call's outcome, or returns nullopt.
#pragma once

#include <optional>

#include "tool/call/call.h"
#include "tool/call/result.h"
#include "tool/call/route.h"

namespace host::executor {
class Scheduler;
}
namespace host::store {
class Audit;
}

namespace host::router {

class LiveCalls;

inline constexpr const char* kBusy = "busy";  // audit outcome

// The queue is full, or the call would wait for itself.
std::optional<tool::CallResult> refusal_by_queue(const executor::Scheduler& scheduler,
                                                 tool::Call& call, const tool::Route& route);
// The host stops, and accepts no new calls.
std::optional<tool::CallResult> refusal_by_stop(const LiveCalls& live, tool::Call& call);
// The audit is required and cannot be written.
std::optional<tool::CallResult> refusal_by_failing_audit(store::Audit& audit, tool::Call& call);

}  // namespace host::router
