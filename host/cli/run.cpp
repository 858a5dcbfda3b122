#include "cli/run.h"

#include <iostream>

#include "base/log.h"
#include "cli/exit_code.h"
#include "cli/load_config.h"
#include "cli/verbs.h"

namespace host::cli {
namespace {

int with_config(const CommandLine& line) {
  config::Loaded loaded = load_config(line);
  for (const config::Diagnostic& diagnostic : loaded.diagnostics)
    std::cerr << diagnostic.describe() << '\n';
  if (!loaded.config) return kExitConfig;
  config::Config& config = *loaded.config;
  if (!line.agent.empty() && !config::agent(config, line.agent)) {
    std::cerr << "toolpost: the configuration has no [agent." << line.agent << "]\n";
    return kExitNotFound;
  }
  const bool serving = line.verb == Verb::Serve;
  log::setup(serving ? config.log.level : log::Level::Error, config.log.format);
  switch (line.verb) {
    case Verb::Serve:
      return serve(line, std::move(config));
    case Verb::Call:
      return call(line, std::move(config));
    case Verb::Tools:
      return tools(line, std::move(config));
    case Verb::Plugins:
      return plugins(line, std::move(config));
    case Verb::Skills:
      return skills(line, std::move(config));
    case Verb::Explain:
      return explain(line, std::move(config));
    case Verb::Doctor:
      return doctor(line, std::move(config));
    case Verb::Audit:
      return audit(line, config);
    case Verb::Approvals:
    case Verb::ApprovalsShow:
    case Verb::ApprovalsApprove:
    case Verb::ApprovalsReject:
      return approvals(line, config);
    case Verb::KeyNew:
    case Verb::KeyList:
    case Verb::KeyRevoke:
    case Verb::KeyLink:
      return key(line, config);
    case Verb::Rules:
    case Verb::RulesRemove:
      return rules(line, config);
    case Verb::Sessions:
    case Verb::SessionsEnd:
      return sessions(line, config);
    case Verb::TotpEnroll:
    case Verb::TotpConfirm:
    case Verb::TotpList:
    case Verb::TotpUnlock:
    case Verb::TotpRemove:
      return totp(line, config);
    case Verb::Dev:
      return dev_verb(line, std::move(config));
    default:
      return config_show(config);
  }
}

}  // namespace

int run(int argc, const char* const* argv) {
  const Parsed parsed = parse_command_line(argc, argv);
  if (!parsed.command) return parsed.exit_code;
  const CommandLine& line = *parsed.command;
  switch (line.verb) {
    case Verb::Version:
      return version(line);
    case Verb::ClientConfig:
      return client_config(line);
    case Verb::ConfigCheck:
      return config_check(line);
    case Verb::PluginCheck:
      return plugin_check(line);
    case Verb::PluginNew:
      return plugin_new(line);
    case Verb::SkillCheck:
      return skill_check(line);
    case Verb::SkillNew:
      return skill_new(line);
    default:
      return with_config(line);
  }
}

}  // namespace host::cli
