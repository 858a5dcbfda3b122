// Functions for calls that may outlive their request. A detached call is a call that may outlive
// its request and has a record in the store. Before the store contains the record, the host does
// not ask a reviewer for an approval of the call, and does not run its tool.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "tool/call/call.h"

namespace host::router {

// Waits until the store contains the call's record. Returns immediately if the call is not
// detached. An Error means that the record could not be stored.
boost::asio::awaitable<Result<void>> is_accepted(const tool::Call& call);

// Calls `call.on_cleared` when the call has passed all checks and only the tool must still run.
// After `call.on_cleared`, the call may continue as a task. If the function returns an Error, the
// call must end.
Result<void> tell_cleared(tool::Call& call);

}  // namespace host::router
