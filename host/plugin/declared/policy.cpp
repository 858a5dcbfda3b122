#include "plugin/declared/policy.h"

#include <algorithm>

#include "json/schema/time_budget.h"
#include "tool/definition/class.h"
#include "tool/definition/extension.h"

namespace host::plugin {
namespace {

// The tools are made on the thread that serves all clients. Each schema has a limit of its own.
constexpr std::chrono::seconds kMostTime{2};

// "[plugin.NAME.tool.TOOL.presets]": where the configuration has what is wrong.
std::string section(const std::string& plugin, const std::string& tool, const char* key) {
  return "[plugin." + plugin + ".tool." + tool + (key ? "." : "") + (key ? key : "") + "]";
}

// The configuration's keys for one tool.
Result<void> apply(const std::string& plugin, const config::ToolOverride& set,
                   tool::Declaration& tool) {
  const auto presets = tool::changed_presets(tool.presets, set.presets);
  if (!presets) return presets.error().within(section(plugin, tool.name, "presets"));
  tool.presets = *presets;
  if (!set.extend.empty()) {
    const auto extended = tool::extend(tool, set.extend);
    if (!extended) return extended.error().within(section(plugin, tool.name, "extend"));
  }
  if (set.timeout) tool.timeout = *set.timeout;
  if (set.read_only == false) disbelieve_reading(tool);
  if (set.auto_approve) tool.auto_approve = set.auto_approve;
  if (set.concurrency_safe == false) tool.concurrency_safe = false;
  if (set.idempotent == false) tool.idempotent = false;
  if (set.destructive == true) tool.destructive = true;
  if (set.open_world == true) tool.open_world = true;
  tool.dangerous_paths.insert(tool.dangerous_paths.end(), set.dangerous_paths.begin(),
                              set.dangerous_paths.end());
  if (set.destructive != true || !tool.read_only) return {};
  return Error{ErrorKind::InvalidArgument,
               "destructive contradicts the tool, which says that it only reads: add read_only = "
               "false"}
      .within(section(plugin, tool.name, "destructive"));
}

std::vector<tool::Limit> limits_of(const std::string& name, const Manifest& manifest,
                                   const config::Plugin& settings) {
  std::vector<tool::Limit> limits;
  // Each of its workers runs one call at a time.
  if (manifest.serial) limits.push_back({"serial:" + name, settings.workers, true});
  if (settings.max_inflight > 0) limits.push_back({"plugin:" + name, settings.max_inflight});
  return limits;
}

// The settings of the whole plugin, then those of the tool, then its side file's. `enabled`: the
// tool is offered.
Result<void> apply_all(const std::string& name, const Terms& terms, tool::Declaration& tool,
                       bool& enabled) {
  const config::Plugin& settings = terms.settings;
  tool.auto_approve = settings.auto_approve;
  tool.trust = config::trust_of(settings, tool.name);
  if (tool.trust == config::Trust::None) disbelieve_reading(tool);
  if (!settings.group.empty()) tool.group = settings.group;
  if (settings.timeout) tool.timeout = *settings.timeout;
  const auto set = settings.tools.find(tool.name);
  if (set != settings.tools.end()) {
    enabled = set->second.enabled.value_or(true);
    if (enabled) HOST_TRY(apply(name, set->second, tool));
  }
  HOST_TRY(narrow(tool, enabled, terms));
  if (tool.read_only) tool.destructive = false;
  return {};
}

// Why a tool was refused, with the section that may be the reason.
Error refusal(const std::string& name, const std::string& tool, const Terms& terms,
              const Error& why) {
  const auto has_arguments = [&tool](const config::Plugin& plugin) {
    const auto set = plugin.tools.find(tool);
    if (set == plugin.tools.end()) return static_cast<const char*>(nullptr);
    if (!set->second.presets.empty()) return "presets";
    return set->second.extend.empty() ? nullptr : "extend";
  };
  if (terms.for_tools) {
    if (const char* const key = has_arguments(terms.for_tools->plugin)) {
      return terms.for_tools->fault("tool." + tool + "." + key, "C020", why.message,
                                    "correct the side file");
    }
  }
  const char* const key = has_arguments(terms.settings);
  return key ? why.within(section(name, tool, key)) : why;
}

}  // namespace

Result<Offer> make_offer(const std::string& name, const Manifest& manifest,
                         const config::Plugin& settings, const Taken& taken) {
  return make_offer(name, manifest, Terms(settings), taken);
}

Result<Offer> make_offer(const std::string& name, const Manifest& manifest, const Terms& terms,
                         const Taken& taken, const CpuClock& clock) {
  const auto now = [&clock] { return clock ? clock() : json::schema::thread_cpu_time(); };
  const auto until = now() + kMostTime;
  for (const SideFilePtr& side : {terms.for_tools, terms.in_settings}) {
    if (side) HOST_TRY(check_tool_names(*side, manifest));
  }
  Offer offer;
  const std::vector<tool::Limit> limits = limits_of(name, manifest, terms.settings);
  std::uint32_t index = 0;
  for (tool::Declaration declaration : manifest.tools) {
    const std::uint32_t place = index++;
    const std::string own_name = declaration.name;
    bool enabled = true;
    HOST_TRY(apply_all(name, terms, declaration, enabled));
    if (!enabled) continue;
    const std::string other = namespaced(name, declaration.name);
    // The plugin's name must not give the tool another meaning than its own name has.
    const bool renames = tool::classify(other) == tool::classify(declaration.name);
    if (taken && renames && taken(declaration.name)) {
      offer.notes.push_back(
          {declaration.name, "the name is taken: it is offered as \"" + other + "\""});
      declaration.name = other;
    }
    if (now() > until) {
      return Error{ErrorKind::PluginFault, "the schemas of its tools need more than " +
                                               std::to_string(kMostTime.count()) +
                                               " s to compile: make them smaller"};
    }
    auto tool = tool::Tool::make(std::move(declaration), place, limits);
    if (!tool) return refusal(name, own_name, terms, tool.error());
    offer.tools.push_back(*std::move(tool));
  }
  for (const auto& [tool, ignored] : terms.settings.tools) {
    const auto is_it = [&](const tool::Declaration& declared) { return declared.name == tool; };
    if (std::any_of(manifest.tools.begin(), manifest.tools.end(), is_it)) continue;
    offer.notes.push_back({tool, "is configured in [plugin." + name + ".tool." + tool +
                                     "], but the plugin has no such tool"});
  }
  return offer;
}

std::string namespaced(const std::string& plugin, const std::string& tool) {
  std::string_view prefix;
  for (const std::string_view known : {"priv_", "pre_", "post_", "_"}) {
    if (prefix.empty() && tool.starts_with(known)) prefix = known;
  }
  return std::string(prefix) + plugin + "_" + tool.substr(prefix.size());
}

}  // namespace host::plugin
