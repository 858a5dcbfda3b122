// Makes a host without a transport, which runs one command. The host loads the plugins of the
// configuration, runs the command, and retires the plugins. The host starts no upstream by itself,
// because the start of an upstream can take upstreams.start_timeout_s. The host knows which tools
// each upstream had at its last connection. A call of an upstream's tool starts the upstream.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>

#include "app/core/core.h"
#include "config/config.h"

namespace host::cli {

// Returns the exit code of `work`, or the exit code for a failure before `work` started.
int one_shot(config::Config config, std::function<boost::asio::awaitable<int>(app::Core&)> work);

// Reads the tools of the upstream that serves the tool `name`, if the host does not know these
// tools yet. If the host knows the tools already, or no upstream serves the tool, the function
// returns immediately.
boost::asio::awaitable<Result<void>> reach_upstream_of(app::Core& core, std::string name);

}  // namespace host::cli
