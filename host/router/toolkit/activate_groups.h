// Activates tool groups in a session, in addition to the groups that are already active. The
// functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "session/sessions.h"

namespace host::router {

using IsTold = std::function<bool(const std::string& group)>;

// activate_groups() ignores groups in `names` that the session must not activate. Returns a text
// for the model about the groups that became active; the text is empty if no group became active.
// The text does not mention groups for which `is_told` returns false. The Error NotFound means that
// the session has ended. `config` must outlive the coroutine.
boost::asio::awaitable<Result<std::string>> activate_groups(
    std::shared_ptr<session::Sessions> sessions, std::string session,
    std::vector<std::string> names, const config::Config& config, IsTold is_told = nullptr);

}  // namespace host::router
