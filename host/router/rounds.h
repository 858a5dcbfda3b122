// A call that has to ask its client: it ends with its questions and runs again with the answers.
// Nothing is held while a client thinks: no slot, and no time of the call's. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>

#include "base/result.h"
#include "router/live_calls.h"
#include "tool/call.h"
#include "tool/result.h"

namespace host::router {

// Runs the call's provider one time, from its slot to its result.
using RunOnce = std::function<boost::asio::awaitable<Result<tool::CallResult>>()>;

// All live until it ends. Where the answers come with a later call, the result is the round
// itself.
boost::asio::awaitable<Result<tool::CallResult>> run_in_rounds(tool::Call& call, LiveCalls& live,
                                                               const RunOnce& once);

}  // namespace host::router
