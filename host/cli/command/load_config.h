// Which configuration a command line means: the file that it names, else the user's, else the
// system's, else the built-in defaults; then environment variables, then flags. `dev` reads only a
// file that is named.
#pragma once

#include "cli/command/command_line.h"
#include "config/config.h"

namespace host::cli {

config::Loaded load_config(const CommandLine& line);

// The same of a configuration with faults; see config::readable_part().
std::optional<config::Config> load_readable_part(const CommandLine& line);

}  // namespace host::cli
