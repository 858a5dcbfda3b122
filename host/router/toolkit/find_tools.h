// find_tools and call_tool are tools of the host. A model with very many tools uses find_tools to
// search them, and call_tool to call them. The functions of this header are called on the I/O
// thread.
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
#include "tool/call/call.h"
#include "tool/provider/own_tools.h"

namespace host::router {

// find_tools activates groups only for a caller whose call of reset_tools would be allowed without
// an approval. `search`, `router`, `permission` and `config` must outlive the tools.
void add_find_tools(tool::OwnTools& tools, const boost::asio::any_io_executor& io,
                    ToolSearch& search, const Router& router, PermissionStep& permission,
                    std::shared_ptr<session::Sessions> sessions, const config::Config& config);
void add_call_tool(tool::OwnTools& tools);

bool is_call_tool(const Route& route);

// Replaces a call of call_tool by the call that its arguments describe, and `route` by the route of
// the tool that the arguments name. Later steps of the pipeline see only the inner call. Returns a
// result if the call ends here, because the arguments are wrong or the caller cannot call the tool.
// If the call is not a call of call_tool, the function does nothing. `sent` receives the arguments
// of the inner call as text, and can be null.
std::optional<tool::CallResult> take_inner_call(tool::Call& call, Route& route,
                                                const Router& router,
                                                const PermissionStep& permission,
                                                const Arguments& arguments,
                                                std::string* sent = nullptr);

}  // namespace host::router
