// The kind, phase and outcome of a call, in the words of the audit log, metrics and REST.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::tool {

// The word that a step has set ("denied", "busy", "crashed"), the kind of the error, "tool_error"
// or "ok".
std::string_view outcome_of(const Call& call, const Result<CallResult>& result);

// "tool", "resource", "prompt" or "completion".
std::string_view kind_of(Function function);

// "checked", "waits_for_approval", "waits_for_caller", "queued", "running" or "asks_client".
std::string_view to_string(Phase phase);

}  // namespace host::tool
