// Defines the commands with which authors create and check plugins and skills.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command_line.h"

namespace host::cli {

// Each of the following functions adds the options and subcommands of one command. `line` must
// outlive the command.
void define_plugin(CLI::App& plugin, CommandLine& line);
void define_dev(CLI::App& dev, CommandLine& line);
void define_skill(CLI::App& skill, CommandLine& line);

}  // namespace host::cli
