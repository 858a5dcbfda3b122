// A call that reads a skill activates tool groups in its session: the groups in `metadata:
// toolpost.groups` of the skill's front matter, separated by spaces or commas. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "session/sessions.h"
#include "tool/call/invocation.h"
#include "tool/call/result.h"

namespace host::router {

// Activates the groups and then finishes the invocation with `read`. The result also describes the
// groups that became active, or says why they could not be activated. Without a session, no group
// is activated. The configuration outlives it.
void finish_skill_read(const boost::asio::any_io_executor& io,
                       std::shared_ptr<session::Sessions> sessions, const config::Config& config,
                       const std::shared_ptr<tool::Invocation>& invocation,
                       std::vector<std::string> groups, tool::CallResult read);

}  // namespace host::router
