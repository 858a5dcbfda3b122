#include "app/core/name_check.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/core/core.h"
#include "app/core/grant_check.h"
#include "app/core/interceptor_check.h"
#include "app/core/rule_content_check.h"
#include "app/core/skill_group_check.h"
#include "base/log.h"
#include "config/name/known_names.h"
#include "plugin/declared/policy.h"
#include "skill/catalog.h"
#include "upstream/provider/tool_name.h"

namespace host::app {
namespace {

void add_plugins(Core& core, const config::Config& config, config::KnownNames& known) {
  const bool renames = config.plugins.on_conflict == "namespace";
  for (const plugin::PluginStatus& status : core.plugins().status()) {
    known.plugins.insert(status.name);
    if (status.state == plugin::State::Absent) known.removed_plugins.insert(status.name);
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

void add_upstreams(Core& core, config::KnownNames& known) {
  for (const auto& [name, tools] : core.upstreams().known_tools()) {
    if (!tools) continue;
    config::KnownNames::OfUpstream& of = known.upstreams[name];
    for (const std::string& tool : *tools) {
      of.own.insert(tool);
      of.served.insert(upstream::served_name(name, tool));
    }
  }
}

// All of the repositories, also those of groups that are not active and those with faults in them.
void add_skills(Core& core, config::KnownNames& known) {
  // `config check` opens no store, so it has no skill of a [[skill_repository]].
  const config::Config& config = core.config();
  known.has_all_skills = config.skill_repositories.empty() || !config.store.file.empty();
  skill::Catalog all(core.skill_repositories(), {});
  const skill::State& state = all.state();
  for (const skill::Source& source : state.sources) known.skill_repositories.insert(source.name);
  for (const std::string& plugin : known.plugins)
    known.skill_repositories.insert(skill::repository_of_plugin(plugin));
  for (const auto& skill : state.skills) known.skills.insert(skill->name);
  for (const config::Diagnostic& fault : state.diagnostics)
    known.skills.insert(std::filesystem::path(fault.file).parent_path().filename().string());
}

std::string place_in_words(const config::Diagnostic& one) {
  return one.file + ":" + std::to_string(one.line) + ": [" + one.code + "]";
}

// "config.toml:12:1: " of the first line of a report.
std::string_view place_in_headline(std::string_view headline) {
  const std::size_t words = std::min(headline.find("warning["), headline.find("error["));
  return headline.substr(0, words);
}

}  // namespace

std::vector<config::Diagnostic> check_names(Core& core) {
  return check_names(core, core.current());
}

std::vector<config::Diagnostic> check_names(Core& core, const config::Config& config) {
  if (config.names.all.empty()) return {};
  config::KnownNames known;
  add_plugins(core, config, known);
  add_own_tools(core, known);
  add_upstreams(core, known);
  add_skills(core, known);
  std::vector<config::Diagnostic> out = config::unknown_names(config, known);
  for (config::Diagnostic& one : contents_without_use(core, config)) out.push_back(std::move(one));
  for (config::Diagnostic& one : missing_grants(core, config)) out.push_back(std::move(one));
  for (config::Diagnostic& one : useless_interceptors(core, config, known))
    out.push_back(std::move(one));
  for (config::Diagnostic& one : unknown_groups_of_skills(core, config))
    out.push_back(std::move(one));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
  return out;
}

void NameReports::report(const std::vector<config::Diagnostic>& now) {
  std::map<std::string, std::string> told;
  std::set<std::string_view> newly_at_fault;  // places, in the keys of `told`
  for (const config::Diagnostic& one : now) {
    const auto [line, fresh] = told.emplace(one.headline(), place_in_words(one));
    if (!fresh || told_.contains(line->first)) continue;
    newly_at_fault.insert(place_in_headline(line->first));
    const bool error = one.severity == config::Severity::Error;
    error ? log::error("config", line->first, {{"help", one.help}})
          : log::warning("config", line->first, {{"help", one.help}});
  }
  for (const auto& [line, place] : told_) {
    // Where another problem took the place of this one, nothing is resolved: a plugin that was
    // disabled may have been removed.
    if (!told.contains(line) && !newly_at_fault.contains(place_in_headline(line)))
      log::info("config", "resolved: " + place);
  }
  told_ = std::move(told);
}

}  // namespace host::app
