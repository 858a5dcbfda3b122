// Runs a call that can ask its client questions. When a provider asks questions, its run ends. The
// host runs the provider again with the client's answers. While the client answers, the call has no
// slot and its deadline does not run. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>

#include "base/result.h"
#include "router/live/live_calls.h"
#include "tool/call/call.h"
#include "tool/call/result.h"
#include "tool/provider/provider.h"

namespace host::router {

// Runs the call's provider once. The function waits until the limits on running calls allow the
// call, starts the provider, and checks its result.
using RunOnce = std::function<boost::asio::awaitable<Result<tool::CallResult>>()>;

// Adds to the failure of a call that the tool began the call in an earlier round, unless the tool
// has run since. `tool` is null if the call has no tool. If no later request can continue the
// failed call, and the call must not be repeated, with_earlier_rounds() sets Call::may_have_acted.
// A later request can continue neither the call of a task, nor a call that a person has denied, nor
// a call that ends while the host stops.
Result<tool::CallResult> with_earlier_rounds(tool::Call& call, const LiveCalls& live,
                                             const tool::Tool* tool,
                                             Result<tool::CallResult> result);

// Adds to the failure of a call that the host has stored the failure for the call's idempotency
// key.
Result<tool::CallResult> with_kept_key(Result<tool::CallResult> result);

// The arguments must live until the coroutine ends. If the client sends its answers with a later
// request, the result contains the questions. If the provider has asked questions and will get no
// answers, run_in_rounds() calls the provider's abandon(). `tool` is null for a resource, a prompt
// and a completion. If a call that must not be repeated ends otherwise than with the tool's answer
// after the tool has asked, and the call cannot continue later, run_in_rounds() sets
// Call::may_have_acted. A task that waits for its client continues after a stop of the host: then
// its asker has set Call::outcome to kAsked (tool/call/end_words.h).
boost::asio::awaitable<Result<tool::CallResult>> run_in_rounds(tool::Call& call, LiveCalls& live,
                                                               tool::Provider& provider,
                                                               const tool::Tool* tool,
                                                               const RunOnce& once);

}  // namespace host::router
