// A host without a transport, for one command: loads the plugins of the configuration, does the
// work, retires the plugins. It starts no upstream by itself, because that may take
// upstreams.start_timeout_s. Tools of upstreams are those of their last connection, and a call
// starts its upstream.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>

#include "app/core/core.h"
#include "config/config.h"

namespace host::cli {

// Returns the exit code of `work`, or of the failure before it started.
int one_shot(config::Config config, std::function<boost::asio::awaitable<int>(app::Core&)> work);

// Reads the tools of the upstream that serves the tool `name`, if they are not known yet. Otherwise
// returns at once.
boost::asio::awaitable<Result<void>> reach_upstream_of(app::Core& core, std::string name);

}  // namespace host::cli
