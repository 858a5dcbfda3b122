// Runs `toolpost upstream add`, `remove` and `import --write`. The commands edit the configuration
// file, and order running hosts to read it again.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command_line.h"
#include "config/config.h"

namespace host::cli {

int upstream_add(const CommandLine& line, const config::Config& config);
int upstream_remove(const CommandLine& line, const config::Config& config);
// Adds all upstreams, or none of them after an error.
int write_upstreams(const CommandLine& line, const config::Config& config,
                    const std::vector<config::Upstream>& added);

}  // namespace host::cli
