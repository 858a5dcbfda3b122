// Functions for calls that may outlive their request. Until the store has a detached call, the host
// asks no reviewer for an approval and runs no tool.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "tool/call/call.h"

namespace host::router {

// Waits until the store has the call. Returns at once if the call is not detached. An Error means
// that the store has refused the call.
boost::asio::awaitable<Result<void>> is_accepted(const tool::Call& call);

// Tells `call.on_cleared` that only the tool is left, so the call may continue as a task. An Error:
// the call must end.
Result<void> tell_cleared(tool::Call& call);

}  // namespace host::router
