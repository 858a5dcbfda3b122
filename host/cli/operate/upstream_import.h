// Reads MCP servers from the configuration files of desktop clients. The files of Claude Desktop,
// Claude Code and Cursor have the servers in the member "mcpServers". In ~/.claude.json of Claude
// Code, each project also has the member "mcpServers". The file of VS Code has the servers in the
// member "servers".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/upstream.h"

namespace host::cli {

struct ImportedServers {
  std::vector<config::Upstream> upstreams;
  // `notes` has one sentence for each server or member that was not converted, or that a user must
  // check.
  std::vector<std::string> notes;
};

// The text of the configuration file can have comments, and commas before closing brackets. Returns
// the Error InvalidArgument if the text is not JSON with comments, or has neither "mcpServers" nor
// "servers".
Result<ImportedServers> import_servers(std::string_view jsonc);

}  // namespace host::cli
