// Defines the commands with which operators manage a host, such as `toolpost approvals` and
// `toolpost key`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command_line.h"

namespace host::cli {

// Each of the following functions adds the options and subcommands of one command. `line` must
// outlive the command.
void define_approvals(CLI::App& approvals, CommandLine& line);
void define_keys(CLI::App& key, CommandLine& line);
void define_codes(CLI::App& totp, CommandLine& line);
void define_rules(CLI::App& rules, CommandLine& line);
void define_webhooks(CLI::App& webhooks, CommandLine& line);
void define_sessions(CLI::App& sessions, CommandLine& line);
void define_calls(CLI::App& calls, CommandLine& line);

}  // namespace host::cli
