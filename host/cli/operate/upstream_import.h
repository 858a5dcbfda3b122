// Reads MCP servers from the configuration files of desktop clients: Claude Desktop, Claude Code
// and Cursor (member "mcpServers"), and VS Code (member "servers").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/upstream.h"

namespace host::cli {

struct ImportedServers {
  std::vector<config::Upstream> upstreams;
  std::vector<std::string> notes;  // one sentence for each entry that was skipped or needs a check
};

// Returns the Error InvalidArgument if the text is not JSON, or has neither "mcpServers" nor
// "servers".
Result<ImportedServers> import_servers(std::string_view json);

}  // namespace host::cli
