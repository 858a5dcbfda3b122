// Reads MCP servers from the configuration files of desktop clients: Claude Desktop, Claude Code
// and Cursor (member "mcpServers", in ~/.claude.json of Claude Code also in each project), and VS
// Code (member "servers").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/upstream.h"

namespace host::cli {

struct ImportedServers {
  std::vector<config::Upstream> upstreams;
  // One sentence for each server and each member that was not converted, or needs a check.
  std::vector<std::string> notes;
};

// The text can have comments and commas before closing brackets. Returns the Error InvalidArgument
// if the text is not such JSON, or has neither "mcpServers" nor "servers".
Result<ImportedServers> import_servers(std::string_view jsonc);

}  // namespace host::cli
