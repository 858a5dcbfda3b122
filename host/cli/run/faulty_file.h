// Decides what a command can do if the configuration file has faults. An operator must be able to
// revoke a key or decide about an approval even if the configuration file has faults. Commands that
// need only the store, or that send requests to a running host, use config::operating_part().
// `toolpost` refuses every command that needs the rest of the configuration.
#pragma once

#include <optional>

#include "cli/command/command_line.h"
#include "config/config.h"
#include "config/reader/load.h"

namespace host::cli {

// Returns the part of the configuration that the command can use, and prints a warning. Returns
// nullopt if the command must be refused. The command is refused if it needs more than the
// operating part, or if the operating part has a fault. The command is also refused if it needs a
// running host and no host runs.
std::optional<config::Config> part_despite_faults(const CommandLine& line);

// Prints the faults of the file, and for `doctor` the hosts that run with an earlier configuration.
// Returns the exit code.
int refuse_faulty_file(const CommandLine& line, const config::Loaded& loaded);

}  // namespace host::cli
