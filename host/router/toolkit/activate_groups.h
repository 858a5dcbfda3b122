// Activates tool groups in a session, in addition to those that are active. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "session/sessions.h"

namespace host::router {

// Ignores `names` that the session may not switch. Returns a text for the model about the groups
// that became active; empty: none did. NotFound: the session has ended. The configuration outlives
// it.
boost::asio::awaitable<Result<std::string>> activate_groups(
    std::shared_ptr<session::Sessions> sessions, std::string session,
    std::vector<std::string> names, const config::Config& config);

}  // namespace host::router
