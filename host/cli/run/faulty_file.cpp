#include "cli/run/faulty_file.h"

#include <iostream>

#include "cli/access/config_orders.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/command/load_config.h"
#include "cli/output/complaint.h"
#include "cli/output/diagnostics_json.h"
#include "cli/output/line.h"

namespace host::cli {
namespace {

enum class Need { WholeFile, Store, RunningHost };

Need need_of(const CommandLine& line) {
  switch (line.verb) {
    case Verb::Audit:
    case Verb::AuditVerify:
    case Verb::Approvals:
    case Verb::ApprovalsShow:
    case Verb::ApprovalsApprove:
    case Verb::ApprovalsReject:
    case Verb::ApprovalsAnswer:
    case Verb::TotpEnroll:
    case Verb::TotpConfirm:
    case Verb::TotpList:
    case Verb::TotpUnlock:
    case Verb::TotpRemove:
    case Verb::Rules:
    case Verb::RulesRemove:
    case Verb::Sessions:
    case Verb::SessionsEnd:
    case Verb::SessionsShow:
    case Verb::Calls:
    case Verb::CallsShow:
    case Verb::CallsCancel:
    case Verb::KeyList:
    case Verb::KeyRevoke:
    case Verb::KeyRotate:
    case Verb::KeyLogins:
    case Verb::KeyLogout:
    case Verb::KeyLink:
    case Verb::Webhooks:
    case Verb::WebhooksRemove:
    case Verb::WebhooksDead:
    case Verb::WebhooksReplay:
      return Need::Store;
    case Verb::KeyNew:
      // Without the whole file, it is not known whether [agent.NAME] exists.
      return line.agent.empty() ? Need::Store : Need::WholeFile;
    case Verb::Plugins:
      return line.files || !line.plugin_dirs.empty() ? Need::WholeFile : Need::RunningHost;
    case Verb::PluginsReload:
    case Verb::PluginsRelease:
    case Verb::Upstreams:
    case Verb::UpstreamsRestart:
    case Verb::UpstreamsRefresh:
    case Verb::UpstreamsDiff:
    case Verb::UpstreamsAccept:
    case Verb::UpstreamsLogin:
    case Verb::UpstreamsLogout:
    case Verb::SkillsPull:
    case Verb::SkillsAccept:
      return Need::RunningHost;
    default:
      return Need::WholeFile;
  }
}

bool has_running_host(const config::Config& config) {
  const auto store = look_into_store(config);
  if (!store || !*store) return false;
  const auto hosts = running_hosts(**store);
  return hosts && !hosts->empty();
}

std::string check_command(const std::string& file) {
  return "`toolpost config check --config " + file + "`";
}

void warn_of_faults(const config::Loaded& part) {
  const std::size_t count = part.diagnostics.size();
  const std::string file = part.config->file.string();
  Line(std::cerr) << "toolpost: warning: " << file << " has " << count
                  << (count == 1 ? " fault" : " faults") << ", see " << check_command(file)
                  << ": this command uses only the sections that it needs";
}

// A host that uses the same store can have been started with another file.
void print_hosts(const CommandLine& line) {
  const config::Loaded part = load_operating_part(line);
  if (!part.config || awaits_migration(part.config->store.file)) return;
  const auto reports = order_configuration(*part.config, ConfigOrder::Report);
  if (!reports) return;
  for (const HostReport& one : *reports) {
    if (one.failure) {
      Line(std::cerr) << "toolpost: " << one.failure->message;
      continue;
    }
    Line(std::cerr) << "toolpost: the host at " << one.address
                    << (one.faults.empty() ? " runs with " : " runs with the earlier content of ")
                    << (one.file.empty() ? "the built-in configuration" : one.file);
  }
}

}  // namespace

std::optional<config::Config> part_despite_faults(const CommandLine& line) {
  const Need need = need_of(line);
  if (need == Need::WholeFile) return std::nullopt;
  config::Loaded part = load_operating_part(line);
  if (!part.config) return std::nullopt;
  if (need == Need::RunningHost && !has_running_host(*part.config)) return std::nullopt;
  warn_of_faults(part);
  return std::move(part.config);
}

int refuse_faulty_file(const CommandLine& line, const config::Loaded& loaded) {
  for (const config::Diagnostic& diagnostic : loaded.diagnostics)
    std::cerr << diagnostic.describe() << '\n';
  if (line.verb == Verb::Doctor) print_hosts(line);
  return complain_of_configuration(diagnostics_json(loaded.diagnostics));
}

}  // namespace host::cli
