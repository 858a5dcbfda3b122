// A host without a transport, for the length of one verb: loads what the configuration names, does
// the work, retires everything.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>

#include "app/core.h"
#include "config/config.h"

namespace host::cli {

// The exit code of `work`, or of what kept it from starting.
int one_shot(config::Config config, std::function<boost::asio::awaitable<int>(app::Core&)> work);

}  // namespace host::cli
