// Runs `toolpost upstream add`, `remove` and `import --write`. The commands `add`, `remove` and
// `import --write` edit the configuration file, and make running hosts read the file again.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command/command_line.h"
#include "config/config.h"

namespace host::cli {

int upstream_add(const CommandLine& line, const config::Config& config);
int upstream_remove(const CommandLine& line, const config::Config& config);
// Returns the text of the configuration file. The text is empty if the file does not exist yet.
Result<std::string> text_to_edit(const config::Config& config);
// Adds the upstreams `added` to the configuration file. If there is an error, the function adds
// none of the upstreams.
int write_upstreams(const CommandLine& line, const config::Config& config,
                    const std::vector<config::Upstream>& added);

}  // namespace host::cli
