// Activates tool groups in a session, in addition to the groups that are already active. I/O thread
// only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "session/sessions.h"

namespace host::router {

// Groups in `names` that the session may not switch are ignored. Returns a text for the model about
// the groups that became active; the text is empty if no group became active. NotFound: the session
// has ended. `config` must outlive the coroutine.
boost::asio::awaitable<Result<std::string>> activate_groups(
    std::shared_ptr<session::Sessions> sessions, std::string session,
    std::vector<std::string> names, const config::Config& config);

}  // namespace host::router
