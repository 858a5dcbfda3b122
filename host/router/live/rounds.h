// A call that has to ask its client. It ends with its questions and runs again with the answers.
// While the client answers, the call has no slot and its deadline does not run. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>

#include "base/result.h"
#include "router/live/live_calls.h"
#include "tool/call/call.h"
#include "tool/call/result.h"
#include "tool/provider/provider.h"

namespace host::router {

// Runs the call's provider once, from slot to result.
using RunOnce = std::function<boost::asio::awaitable<Result<tool::CallResult>>()>;

// The arguments must live until the coroutine ends. If the client sends its answers with a later
// request, the result contains the questions. `provider` is told if it asked and gets no answers.
boost::asio::awaitable<Result<tool::CallResult>> run_in_rounds(tool::Call& call, LiveCalls& live,
                                                               tool::Provider& provider,
                                                               const RunOnce& once);

}  // namespace host::router
