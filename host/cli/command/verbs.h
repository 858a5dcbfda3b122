// Declares the commands of `toolpost`. Each command of `toolpost` is defined in a separate file.
// Each command prints its result to standard output and errors to standard error, and returns an
// exit code.
#pragma once

#include "cli/command/command_line.h"
#include "config/config.h"

namespace host::cli {

int serve(const CommandLine& line, config::Config config);
int call(const CommandLine& line, config::Config config);
int tools(const CommandLine& line, config::Config config);
int plugins(const CommandLine& line, config::Config config);
int upstreams(const CommandLine& line, config::Config config);
// `upstream import` adds the upstreams to the configuration file of `into`. If `into` is null,
// `upstream import` prints the upstreams as [[upstream]] sections.
int upstream_import(const CommandLine& line, const config::Config* into);
int skills(const CommandLine& line, config::Config config);
int skill_repositories(const CommandLine& line, config::Config config);
int key(const CommandLine& line, const config::Config& config);
int totp(const CommandLine& line, const config::Config& config);
int rules(const CommandLine& line, const config::Config& config);
int webhooks(const CommandLine& line, const config::Config& config);
int sessions(const CommandLine& line, const config::Config& config);
int calls(const CommandLine& line, const config::Config& config);
int approvals(const CommandLine& line, const config::Config& config);
int audit(const CommandLine& line, const config::Config& config);
int doctor(const CommandLine& line, config::Config config);
int explain(const CommandLine& line, config::Config config);
int config_show(const config::Config& config);
int config_check(const CommandLine& line);
// Makes running hosts read their configuration again.
int config_reload(const CommandLine& line, const config::Config& config);
// `agent` is the agent that the command line names, or null if the command line names no agent.
int client_config(const CommandLine& line, const config::Agent* agent);
int plugin_check(const CommandLine& line);
int plugin_new(const CommandLine& line);
int skill_check(const CommandLine& line);
int skill_new(const CommandLine& line);
int dev_verb(const CommandLine& line, config::Config config);
int version(const CommandLine& line);

}  // namespace host::cli
