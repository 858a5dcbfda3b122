// Waits until a detached call is in the store. Before that, nobody is asked about it and nothing
// runs.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "tool/call/call.h"

namespace host::router {

// returns at once where the call is not detached. An error: the store has refused it
boost::asio::awaitable<Result<void>> is_accepted(const tool::Call& call);

}  // namespace host::router
