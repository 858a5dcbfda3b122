// Waits until a detached call is in the store. Until the call is stored, the host asks nobody for
// an approval and runs nothing.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "tool/call/call.h"

namespace host::router {

// Returns at once if the call is not detached. An Error: the store has refused the call.
boost::asio::awaitable<Result<void>> is_accepted(const tool::Call& call);

}  // namespace host::router
