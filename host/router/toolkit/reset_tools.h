// reset_tools is a tool of the host. A model uses reset_tools to choose the active tool groups of
// its session. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <vector>

#include "config/config.h"
#include "session/sessions.h"
#include "tool/provider/own_tools.h"

namespace host::router {

// Adds the tool reset_tools, unless `groups` is empty. `groups` contains the groups that a session
// may switch, in the order of the configuration.
void add_reset_tools(tool::OwnTools& tools, const boost::asio::any_io_executor& io,
                     std::shared_ptr<session::Sessions> sessions,
                     std::vector<config::Group> groups);

}  // namespace host::router
