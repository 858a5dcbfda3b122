// Checks whether a provider's answer to a read of a resource, a prompt or a completion follows the
// protocol. A client could reject the host's message if the provider's answer violates the
// protocol.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

// Returns `result` with only the members that the protocol defines, in a fixed order. The Error
// PluginFault means that the answer is not valid, is larger than `max_bytes`, or reports a failure
// of the provider. check_offer_result() keeps only the first 100 completions, because the protocol
// allows no more.
Result<tool::CallResult> check_offer_result(tool::CallResult result, const tool::Call& call,
                                            std::uint64_t max_bytes);

// Returns a result for completion/complete that has no values.
tool::CallResult nothing_completed();

}  // namespace host::router
