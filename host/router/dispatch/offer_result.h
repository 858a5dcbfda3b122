// Checks a provider's answer to a read, a prompt or a completion against the protocol. Otherwise
// clients would refuse a message because of a provider's mistake.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

// Returns `result` with only the members that the protocol defines, in a fixed order. PluginFault:
// the answer is not valid, is larger than `max_bytes`, or reports a failure of the provider. Only
// the first 100 completions are kept, the limit of the protocol.
Result<tool::CallResult> check_offer_result(tool::CallResult result, const tool::Call& call,
                                            std::uint64_t max_bytes);

// An empty completion.
tool::CallResult nothing_completed();

}  // namespace host::router
