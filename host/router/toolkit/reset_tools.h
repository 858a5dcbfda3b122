// reset_tools: the host's own tool with which a model chooses the active tool groups of its
// session. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <vector>

#include "config/config.h"
#include "session/sessions.h"
#include "tool/provider/own_tools.h"

namespace host::router {

// `groups`: the groups that a session may switch, in the order of the configuration. If it is
// empty, the tool is not added.
void add_reset_tools(tool::OwnTools& tools, const boost::asio::any_io_executor& io,
                     std::shared_ptr<session::Sessions> sessions,
                     std::vector<config::Group> groups);

}  // namespace host::router
