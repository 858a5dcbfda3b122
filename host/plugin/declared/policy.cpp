#include "plugin/declared/policy.h"

#include <algorithm>

#include "json/json.h"
#include "tool/definition/class.h"

namespace host::plugin {
namespace {

Result<std::string> merged(const std::string& declared, const std::string& configured) {
  if (configured.empty()) return declared;
  if (declared.empty()) return configured;
  HOST_TRY_ASSIGN(json::Document presets, json::parse(declared));
  HOST_TRY_ASSIGN(const json::Document added, json::parse(configured));
  if (!presets.root().IsObject() || !added.root().IsObject()) {
    return Error{ErrorKind::InvalidArgument, "presets must be JSON objects"};
  }
  for (const auto& member : added.root().GetObject()) {
    json::set(presets.root(), json::text(member.name),
              json::copy(member.value, presets.allocator()), presets.allocator());
  }
  return json::write(presets.root());
}

// What the tool says of reading is taken out, so that nothing past here can go by it.
void disbelieve_reading(tool::Declaration& tool) {
  tool.may_only_read = false;
  tool.read_only = false;
  tool.has_check_read_only = false;
}

Result<void> apply(const config::ToolOverride& set, tool::Declaration& tool) {
  HOST_TRY_ASSIGN(tool.presets, merged(tool.presets, set.presets));
  if (set.timeout) tool.timeout = *set.timeout;
  if (set.read_only == false) disbelieve_reading(tool);
  if (set.auto_approve) tool.auto_approve = set.auto_approve;
  if (set.concurrency_safe == false) tool.concurrency_safe = false;
  return {};
}

std::vector<tool::Limit> limits_of(const std::string& name, const Manifest& manifest,
                                   const config::Plugin& settings) {
  std::vector<tool::Limit> limits;
  // Each of its workers runs one call at a time.
  if (manifest.serial) limits.push_back({"serial:" + name, settings.workers, true});
  if (settings.max_inflight > 0) limits.push_back({"plugin:" + name, settings.max_inflight});
  return limits;
}

}  // namespace

Result<Offer> make_offer(const std::string& name, const Manifest& manifest,
                         const config::Plugin& settings, const Taken& taken) {
  Offer offer;
  const std::vector<tool::Limit> limits = limits_of(name, manifest, settings);
  std::uint32_t index = 0;
  for (tool::Declaration declaration : manifest.tools) {
    const std::uint32_t place = index++;
    declaration.auto_approve = settings.auto_approve;
    declaration.trust = config::trust_of(settings, declaration.name);
    if (declaration.trust == config::Trust::None) disbelieve_reading(declaration);
    if (!settings.group.empty()) declaration.group = settings.group;
    if (settings.timeout) declaration.timeout = *settings.timeout;
    const auto set = settings.tools.find(declaration.name);
    if (set != settings.tools.end()) {
      if (set->second.enabled == false) continue;
      const Result<void> applied = apply(set->second, declaration);
      if (!applied)
        return applied.error().within("[plugin." + name + ".tool." + declaration.name + "]");
    }
    if (declaration.read_only) declaration.destructive = false;
    const std::string other = namespaced(name, declaration.name);
    // The plugin's name must not give the tool another meaning than its own name has.
    const bool renames = tool::classify(other) == tool::classify(declaration.name);
    if (taken && renames && taken(declaration.name)) {
      offer.notes.push_back(
          {declaration.name, "the name is taken: it is offered as \"" + other + "\""});
      declaration.name = other;
    }
    auto tool = tool::Tool::make(std::move(declaration), place, limits);
    // Without these the tool may be valid.
    if (!tool && set != settings.tools.end() && !set->second.presets.empty())
      return tool.error().within("[plugin." + name + ".tool." + set->first + "]");
    if (!tool) return tool.error();
    offer.tools.push_back(*std::move(tool));
  }
  for (const auto& [tool, ignored] : settings.tools) {
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
