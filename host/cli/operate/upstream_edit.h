// `toolpost upstream add`, `remove` and `import --write`: they edit the configuration file, and
// have running hosts read it again.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command_line.h"
#include "config/config.h"

namespace host::cli {

int upstream_add(const CommandLine& line, const config::Config& config);
int upstream_remove(const CommandLine& line, const config::Config& config);
// Adds all of them, or none.
int write_upstreams(const CommandLine& line, const config::Config& config,
                    const std::vector<config::Upstream>& added);

}  // namespace host::cli
