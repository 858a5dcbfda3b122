// Writes the kind, phase and outcome of a call as words, for the audit log, metrics and REST.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::tool {

// Returns the outcome of a call for the audit log: the word that a step of the pipeline has set
// ("denied", "busy", "crashed"), the kind of the error, "tool_error" or "ok".
std::string_view outcome_of(const Call& call, const Result<CallResult>& result);

// Returns "tool", "resource", "prompt" or "completion".
std::string_view kind_of(Function function);

// Returns "checked", "waits_for_approval", "waits_for_caller", "queued", "running" or
// "asks_client".
std::string_view to_string(Phase phase);

}  // namespace host::tool
