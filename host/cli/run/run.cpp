#include "cli/run/run.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/text/nearest.h"
#include "cli/command/load_config.h"
#include "cli/command/verbs.h"
#include "cli/dev/keeper.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/marked_streams.h"
#include "cli/output/standard_streams.h"
#include "cli/run/faulty_file.h"

namespace host::cli {
namespace {

Error no_agent(const config::Config& config, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& [known, agent] : config.agents) names.emplace_back(known);
  return {ErrorKind::NotFound, "the configuration has no [agent." + name + "]: " +
                                   (names.empty() ? "it has no agents; --config names another one"
                                                  : suggest(name, names))};
}

int run_verb(const CommandLine& line, config::Config config) {
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
    case Verb::PluginsReload:
    case Verb::PluginsRelease:
      return plugins(line, std::move(config));
    case Verb::Upstreams:
    case Verb::UpstreamsTest:
    case Verb::UpstreamsRestart:
    case Verb::UpstreamsRefresh:
    case Verb::UpstreamsDiff:
    case Verb::UpstreamsAccept:
    case Verb::UpstreamsAdd:
    case Verb::UpstreamsRemove:
    case Verb::UpstreamsLogin:
    case Verb::UpstreamsLogout:
      return upstreams(line, std::move(config));
    case Verb::UpstreamsImport:
      return upstream_import(line, &config);
    case Verb::ConfigReload:
      return config_reload(line, config);
    case Verb::Skills:
      return skills(line, std::move(config));
    case Verb::SkillsPull:
    case Verb::SkillsDiff:
    case Verb::SkillsAccept:
      return skill_repositories(line, std::move(config));
    case Verb::Explain:
      return explain(line, std::move(config));
    case Verb::Doctor:
      return doctor(line, std::move(config));
    case Verb::Audit:
    case Verb::AuditVerify:
      return audit(line, config);
    case Verb::Approvals:
    case Verb::ApprovalsShow:
    case Verb::ApprovalsApprove:
    case Verb::ApprovalsReject:
    case Verb::ApprovalsAnswer:
      return approvals(line, config);
    case Verb::KeyNew:
    case Verb::KeyList:
    case Verb::KeyRevoke:
    case Verb::KeyRotate:
    case Verb::KeyLogins:
    case Verb::KeyLogout:
    case Verb::KeyLink:
      return key(line, config);
    case Verb::Rules:
    case Verb::RulesRemove:
      return rules(line, config);
    case Verb::Webhooks:
    case Verb::WebhooksAdd:
    case Verb::WebhooksRemove:
    case Verb::WebhooksTest:
    case Verb::WebhooksDead:
    case Verb::WebhooksReplay:
      return webhooks(line, config);
    case Verb::Sessions:
    case Verb::SessionsEnd:
    case Verb::SessionsShow:
      return sessions(line, config);
    case Verb::Calls:
    case Verb::CallsShow:
    case Verb::CallsCancel:
      return calls(line, config);
    case Verb::TotpEnroll:
    case Verb::TotpConfirm:
    case Verb::TotpList:
    case Verb::TotpUnlock:
    case Verb::TotpRemove:
      return totp(line, config);
    case Verb::ClientConfig:
      return client_config(line, config::agent(config, line.agent));
    case Verb::Dev:
      return dev_verb(line, std::move(config));
    default:
      return config_show(config);
  }
}

int with_config(const CommandLine& line) {
  config::Loaded loaded = load_config(line);
  if (!loaded.config) {
    auto part = part_despite_faults(line);
    if (!part) return refuse_faulty_file(line, loaded);
    CommandLine with_part = line;
    with_part.has_operating_part_only = true;
    return run_verb(with_part, *std::move(part));
  }
  if (!line.agent.empty() && !config::agent(*loaded.config, line.agent))
    return complain(no_agent(*loaded.config, line.agent));
  return run_verb(line, *std::move(loaded.config));
}

Marking marking_of(const CommandLine& line) {
  const bool json = line.json || line.verb == Verb::ClientConfig;
  return json ? Marking::Json : Marking::Text;
}

// All output of the command is written when it returns.
int run_marked(int argc, const char* const* argv, std::string commit) {
  MarkedStreams streams;
  const Parsed parsed = parse_command_line(argc, argv, std::move(commit));
  if (!parsed.command) return parsed.exit_code;
  const CommandLine& line = *parsed.command;
  streams.set_output(marking_of(line));
  complain_in_json(line.json);
  switch (line.verb) {
    case Verb::Version:
      return version(line);
    case Verb::ClientConfig:
      return line.agent.empty() ? client_config(line, nullptr) : with_config(line);
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
    case Verb::UpstreamsImport:
      return line.write ? with_config(line) : upstream_import(line, nullptr);
    default:
      return with_config(line);
  }
}

}  // namespace

int run(int argc, const char* const* argv, std::string commit) {
  if (!open_closed_streams()) return kExitFailure;
  if (dev::is_keeper(argc, argv)) return dev::keep(argv);
  return check_output(run_marked(argc, argv, std::move(commit)));
}

}  // namespace host::cli
