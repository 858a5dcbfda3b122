// find_tools and call_tool: the host's own tools for models with very many tools. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>

#include "config/config.h"
#include "router/step/arguments.h"
#include "router/step/permission_step.h"
#include "router/toolkit/tool_search.h"
#include "router/view/route.h"
#include "router/view/router.h"
#include "session/sessions.h"
#include "tool/call.h"
#include "tool/own_tools.h"

namespace host::router {

// `search` and `config` outlive the tools.
void add_find_tools(tool::OwnTools& tools, const boost::asio::any_io_executor& io,
                    ToolSearch& search, std::shared_ptr<session::Sessions> sessions,
                    const config::Config& config);
void add_call_tool(tool::OwnTools& tools);

// A call of call_tool becomes the call that its arguments describe, and `route` that of the other
// tool: every later step sees a call of that name. Returns the result that the call ends with
// instead: wrong arguments, or a tool that the caller cannot call. Other calls stay as they are.
std::optional<tool::CallResult> take_inner_call(tool::Call& call, Route& route,
                                                const Router& router,
                                                const PermissionStep& permission,
                                                const Arguments& arguments);

}  // namespace host::router
