// Reads the MCP servers that desktop clients are configured with: Claude Desktop, Claude Code and
// Cursor ("mcpServers"), VS Code ("servers").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/upstream.h"

namespace host::cli {

struct ImportedServers {
  std::vector<config::Upstream> upstreams;
  std::vector<std::string> notes;  // what was left out or needs a look, one sentence each
};

// InvalidArgument: it is no JSON, or has neither list.
Result<ImportedServers> import_servers(std::string_view json);

}  // namespace host::cli
