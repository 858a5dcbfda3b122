// When a model reads a skill, the host activates the skill's tool groups in the model's session.
// The skill's front matter lists its tool groups in `metadata: toolpost.groups`, separated by
// spaces or commas. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "router/view/router.h"
#include "router/view/views.h"
#include "session/sessions.h"
#include "tool/call/invocation.h"
#include "tool/call/result.h"

namespace host::router {

// Activates the groups of a skill, and then ends the invocation that reads the skill, with the
// result `read`. The result also describes each group that became active, if the caller sees a tool
// or a skill of the group. If groups could not be activated, the result says why. If the call has
// no session, the function activates no group. `config`, `views` and `router` must outlive the
// coroutine.
void finish_skill_read(const boost::asio::any_io_executor& io,
                       std::shared_ptr<session::Sessions> sessions, const config::Config& config,
                       Views& views, const Router& router,
                       const std::shared_ptr<tool::Invocation>& invocation,
                       std::vector<std::string> groups, tool::CallResult read);

}  // namespace host::router
