// Waits until a detached call is in the store. Until the call is stored, the host asks no reviewer
// for an approval and runs no tool.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "tool/call/call.h"

namespace host::router {

// Returns at once if the call is not detached. An Error means that the store has refused the call.
boost::asio::awaitable<Result<void>> is_accepted(const tool::Call& call);

}  // namespace host::router
