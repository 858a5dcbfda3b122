#include "app/core/name_check.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "app/core/core.h"
#include "app/core/grant_check.h"
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

void warn_of(const config::NameUse& use, const std::string& message, const std::string& help,
             std::vector<config::Diagnostic>& out) {
  config::Diagnostic one = use.place;
  one.severity = config::Severity::Warning;
  one.code = "C021";
  one.message = use.where + ": " + message;
  one.help = help;
  out.push_back(std::move(one));
}

// An interceptor fails each call that it covers if its plugin does not serve.
void add_idle_interceptors(Core& core, const config::Config& config,
                           std::vector<config::Diagnostic>& out) {
  for (const plugin::PluginStatus& status : core.plugins().status()) {
    if (status.serving || status.state != plugin::State::Disabled) continue;
    for (const config::NameUse& use : config.names.all) {
      if (use.name != status.name || use.where != "plugin in [[interceptor]]") continue;
      warn_of(use,
              "the plugin \"" + use.name +
                  "\" is disabled, so it intercepts nothing. Calls that the interceptor covers "
                  "are refused, or run without it with fail = \"open\"",
              "set enabled = true in [plugin." + use.name + "]", out);
    }
  }
}

// Each function of such an interceptor counts as failed.
void add_misnamed_interceptors(Core& core, const config::Config& config,
                               std::vector<config::Diagnostic>& out) {
  for (const config::NameUse& use : config.names.all) {
    if (use.where != "plugin in [[interceptor]]") continue;
    const auto provider = core.catalog().plugin(use.name);
    if (!provider || provider->offer().intercepts.any()) continue;
    warn_of(use,
            "the plugin \"" + use.name +
                "\" is no interceptor. Calls that the entry covers are refused, or run without it "
                "with fail = \"open\"",
            "name a plugin that offers tp.interceptor/1, or remove the entry", out);
  }
}

// A call of call_tool is a call of the tool that it names, before interceptors see it.
void add_entries_for_call_tool(const config::Config& config, std::vector<config::Diagnostic>& out) {
  for (const config::NameUse& use : config.names.all) {
    if (use.where != "tools in [[interceptor]]" || use.name != "call_tool") continue;
    warn_of(use,
            "no interceptor sees call_tool. It sees the tool that call_tool calls, if `tools` has "
            "this tool",
            "name the tools that call_tool calls. \"*\" stands for all tools", out);
  }
}

std::string place_in_words(const config::Diagnostic& one) {
  return one.file + ":" + std::to_string(one.line) + ": [" + one.code + "]";
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
  add_idle_interceptors(core, config, out);
  add_misnamed_interceptors(core, config, out);
  add_entries_for_call_tool(config, out);
  for (config::Diagnostic& one : unknown_groups_of_skills(core, config))
    out.push_back(std::move(one));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
  return out;
}

void NameReports::report(const std::vector<config::Diagnostic>& now) {
  std::map<std::string, std::string> told;
  for (const config::Diagnostic& one : now) {
    const auto [line, fresh] = told.emplace(one.headline(), place_in_words(one));
    if (!fresh || told_.contains(line->first)) continue;
    const bool error = one.severity == config::Severity::Error;
    error ? log::error("config", line->first, {{"help", one.help}})
          : log::warning("config", line->first, {{"help", one.help}});
  }
  for (const auto& [line, place] : told_) {
    if (!told.contains(line)) log::info("config", "resolved: " + place);
  }
  told_ = std::move(told);
}

}  // namespace host::app
