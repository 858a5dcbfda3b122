#include "app/name_check.h"

#include <filesystem>
#include <utility>

#include "app/agent_skills.h"
#include "app/core.h"
#include "base/log.h"
#include "plugin/declared/policy.h"
#include "skill/catalog.h"

namespace host::app {
namespace {

void add_plugins(Core& core, config::KnownNames& known) {
  const bool renames = core.config().plugins.on_conflict == "namespace";
  for (const plugin::PluginStatus& status : core.plugins().status()) {
    known.plugins.insert(status.name);
    if (!status.serving) continue;
    auto& tools = known.tools[status.name];
    for (const std::string& tool : status.declared) {
      tools.insert(tool);
      if (renames) tools.insert(plugin::namespaced(status.name, tool));
    }
  }
}

// A name that no plugin can have.
constexpr const char* kHost = "host";

void add_own_tools(Core& core, config::KnownNames& known) {
  for (const tool::Entry& entry : core.catalog().snapshot()->entries()) {
    if (entry.provider->identity().is_host()) known.tools[kHost].insert(entry.tool->name());
  }
}

// All of the folders, also those of groups that are not active and those with faults in them.
void add_skills(const config::Config& config, config::KnownNames& known) {
  skill::Catalog all(repositories_of(config.skills), {});
  const skill::State& state = all.state();
  for (const auto& skill : state.skills) known.skills.insert(skill->name);
  for (const config::Diagnostic& fault : state.diagnostics)
    known.skills.insert(std::filesystem::path(fault.file).parent_path().filename().string());
}

}  // namespace

std::vector<config::Diagnostic> unknown_names(Core& core) {
  if (core.config().names.all.empty()) return {};
  config::KnownNames known;
  add_plugins(core, known);
  add_own_tools(core, known);
  add_skills(core.config(), known);
  return config::unknown_names(core.config(), known);
}

void NameReports::report(const std::vector<config::Diagnostic>& now) {
  std::set<std::string> told;
  for (const config::Diagnostic& one : now) {
    const auto [line, fresh] = told.insert(one.headline());
    if (!fresh || told_.contains(*line)) continue;
    const bool error = one.severity == config::Severity::Error;
    error ? log::error("config", *line, {{"help", one.help}})
          : log::warning("config", *line, {{"help", one.help}});
  }
  told_ = std::move(told);
}

}  // namespace host::app
