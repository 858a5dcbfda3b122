// Defines the commands with which operators manage a host, such as `toolpost approvals` and
// `toolpost key`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command_line.h"

namespace host::cli {

// Each of the following functions adds one command to `app`, with its subcommands and options.
// `line` must outlive `app`.
void add_approvals(CLI::App& app, CommandLine& line);
void add_keys(CLI::App& app, CommandLine& line);
void add_codes(CLI::App& app, CommandLine& line);
void add_rules(CLI::App& app, CommandLine& line);
void add_webhooks(CLI::App& app, CommandLine& line);
void add_sessions(CLI::App& app, CommandLine& line);
void add_calls(CLI::App& app, CommandLine& line);

}  // namespace host::cli
