// Where a client finds MCP on a host that runs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::cli {

// The address of the endpoint, `/mcp` or `/AGENT/mcp`, of the host at `url`. That may be given with
// the path of an endpoint or without one, and behind a prefix of a proxy. Empty `agent`: none.
Result<std::string> endpoint_url(std::string_view url, std::string_view agent);

}  // namespace host::cli
