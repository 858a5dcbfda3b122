// How a call ended and what it called, in the words that audit and metrics have for it.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tool/call.h"
#include "tool/result.h"

namespace host::tool {

// A step's own word ("denied", "busy", "crashed"), an error's kind, "tool_error" or "ok".
std::string_view outcome_of(const Call& call, const Result<CallResult>& result);

// "tool", "resource", "prompt" or "completion": what the call's name is the name of.
std::string_view kind_of(Function function);

}  // namespace host::tool
