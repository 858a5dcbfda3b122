// The tool groups that reading a skill activates in the session of the call: those that its front
// matter names in `metadata: toolpost.groups`, by blanks or commas apart. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "session/sessions.h"
#include "tool/invocation.h"
#include "tool/result.h"

namespace host::router {

// Finishes the invocation with `read`, once the groups are active. The result also describes the
// groups that became active. Without a session nothing is activated. If it fails, the result says
// why. The configuration outlives it.
void finish_skill_read(const boost::asio::any_io_executor& io,
                       std::shared_ptr<session::Sessions> sessions, const config::Config& config,
                       const std::shared_ptr<tool::Invocation>& invocation,
                       std::vector<std::string> groups, tool::CallResult read);

}  // namespace host::router
