#include "router/view/preset_tools.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "json/own_text.h"
#include "router/view/profiles.h"
#include "tool/definition/extension.h"

namespace host::router {
namespace {

Result<std::string> merged_presets(const std::string& fixed, const std::string& presets,
                                   PresetsOf by) {
  switch (by) {
    case PresetsOf::Agent:
      return tool::changed_presets(fixed, presets);
    case PresetsOf::Client:
      return tool::added_presets(fixed, presets);
    case PresetsOf::Session:
      return tool::changed_presets(presets, fixed);
  }
  return fixed;
}

const json::Value* preset_of(const tool::Tool* tool, std::string_view argument) {
  return tool && tool->presets() ? json::find(*tool->presets(), argument) : nullptr;
}

}  // namespace

Presets presets_in(std::string_view json) {
  Presets presets;
  if (json.empty()) return presets;
  const auto tree = json::parse_own(json);
  if (!tree || !tree->root().IsObject()) return presets;
  for (const auto& tool : tree->root().GetObject())
    presets.emplace(json::text(tool.name), json::write(tool.value));
  return presets;
}

Result<std::shared_ptr<const tool::Tool>> with_presets(const tool::Entry& entry,
                                                       const std::string& presets, PresetsOf by) {
  const tool::ProviderIdentity& identity = entry.provider->identity();
  if (identity.is_host() || identity.is_session()) {
    return Error{ErrorKind::InvalidArgument,
                 std::string(identity.is_host() ? "a tool of the host itself"
                                                : "a tool of the session's own client") +
                     " has no presets"};
  }
  if (is_run_by_the_host(*entry.tool)) {
    return Error{ErrorKind::InvalidArgument,
                 "a tool that only the host calls has no presets of agents and sessions"};
  }
  const std::string& fixed = entry.tool->declared().presets;
  auto merged = merged_presets(fixed, presets, by);
  if (!merged) return merged.error();
  return entry.tool->with_presets(*std::move(merged));
}

void apply_presets(std::vector<tool::Entry>& entries, const Presets& presets, PresetsOf by,
                   std::string_view whose) {
  if (presets.empty()) return;
  std::erase_if(entries, [&](tool::Entry& entry) {
    const auto own = presets.find(entry.tool->name());
    // A post_ tool that is left out would be a check that does not happen.
    if (own == presets.end() || is_run_by_the_host(*entry.tool)) return false;
    auto narrowed = with_presets(entry, own->second, by);
    if (narrowed) {
      entry.tool = *std::move(narrowed);
      return false;
    }
    log::warning("router", "a tool is not offered, because its presets do not fit",
                 {{"tool", entry.tool->name()},
                  {"presets_of", std::string(whose)},
                  {"reason", narrowed.error().message}});
    return true;
  });
}

bool has_presets(const tool::Tool& tool, std::string_view presets,
                 std::initializer_list<const tool::Tool*> fixing) {
  const auto wanted = json::parse_own(presets);
  if (!wanted || !wanted->root().IsObject()) return false;
  for (const auto& member : wanted->root().GetObject()) {
    const std::string_view argument = json::text(member.name);
    const json::Value* const own = preset_of(&tool, argument);
    if (!own) return false;
    const auto fixes_it = [&](const tool::Tool* one) {
      const json::Value* const fixed = preset_of(one, argument);
      return fixed && *fixed == *own;
    };
    if (*own != member.value && std::none_of(fixing.begin(), fixing.end(), fixes_it)) return false;
  }
  return true;
}

}  // namespace host::router
