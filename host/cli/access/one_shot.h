// A host without a transport, for the length of one verb: loads what the configuration names, does
// the work, retires everything. It starts no upstream on its own, because that may take
// upstreams.start_timeout_s: tools of upstreams are those of their last connection, and a call
// starts its upstream.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>

#include "app/core.h"
#include "config/config.h"

namespace host::cli {

// The exit code of `work`, or of what kept it from starting.
int one_shot(config::Config config, std::function<boost::asio::awaitable<int>(app::Core&)> work);

// Reads the tools of the upstream that serves the tool `name`, if they are not known yet. Otherwise
// returns at once.
boost::asio::awaitable<Result<void>> reach_upstream_of(app::Core& core, std::string name);

}  // namespace host::cli
