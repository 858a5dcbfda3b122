// Loads the configuration for a command line. A command uses the configuration file that the
// command line names. If the command line names no file, the command uses the user's file, or else
// the system's file, or else the built-in defaults. Environment variables override the file, and
// options of the command line override both. The command `dev` reads only a configuration file that
// the command line names.
#pragma once

#include "cli/command/command_line.h"
#include "config/config.h"
#include "config/reader/load.h"

namespace host::cli {

config::Loaded load_config(const CommandLine& line);

// Loads the valid part of a faulty configuration, see config::readable_part().
std::optional<config::Config> load_readable_part(const CommandLine& line);

// Loads config::operating_part() of a faulty configuration.
config::Loaded load_operating_part(const CommandLine& line);

}  // namespace host::cli
