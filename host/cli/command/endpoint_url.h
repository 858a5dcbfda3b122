// Makes the URL at which clients reach MCP on a running host.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::cli {

// Returns the URL of the endpoint, `/mcp` or `/AGENT/mcp`, of the host at `url`. `url` can already
// end with the path of an endpoint, and can have the path prefix of a proxy. `agent` is empty if
// the endpoint belongs to no agent.
Result<std::string> endpoint_url(std::string_view url, std::string_view agent);

}  // namespace host::cli
