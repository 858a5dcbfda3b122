// The verbs for those who run a host: what they decide, list and end.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command_line.h"

namespace host::cli {

// Each adds one verb with its own verbs and options to `app`. `line` outlives `app`.
void add_approvals(CLI::App& app, CommandLine& line);
void add_keys(CLI::App& app, CommandLine& line);
void add_codes(CLI::App& app, CommandLine& line);
void add_rules(CLI::App& app, CommandLine& line);
void add_webhooks(CLI::App& app, CommandLine& line);
void add_sessions(CLI::App& app, CommandLine& line);
void add_calls(CLI::App& app, CommandLine& line);

}  // namespace host::cli
