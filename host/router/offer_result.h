// What a provider answered to a read, a prompt or a completion, held to what the protocol promises
// its clients: a provider's slip must not become a message that clients refuse.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "tool/call.h"
#include "tool/result.h"

namespace host::router {

// `result` with the members that the protocol knows, in one order, where it is whole; PluginFault
// where it is not, is larger than `max_bytes`, or is the provider's own failure. Completions beyond
// the 100 that a client takes are cut off.
Result<tool::CallResult> check_offer_result(tool::CallResult result, const tool::Call& call,
                                            std::uint64_t max_bytes);

// The answer to a completion where nothing is known.
tool::CallResult nothing_completed();

}  // namespace host::router
