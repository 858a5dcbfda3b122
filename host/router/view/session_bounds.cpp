#include "router/view/session_bounds.h"

#include <algorithm>
#include <vector>

#include "json/fault.h"
#include "permission/decision/narrowing.h"
#include "permission/path/real_path.h"
#include "permission/rule/rule.h"
#include "router/view/preset_tools.h"
#include "router/view/session_view.h"

namespace host::router {
namespace {

std::string place_of(std::string_view list, std::size_t index) {
  return json::child_of(list, std::to_string(index));
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text.substr(0, 80)) + "\"";
}

std::vector<std::string> real_dirs(const config::Config& config, const config::Agent* agent) {
  std::vector<std::string> dirs;
  for (const auto& dir : config.permission.working_dirs)
    dirs.push_back(permission::real_path(dir.native()));
  if (!agent) return dirs;
  for (const auto& dir : agent->working_dirs) dirs.push_back(permission::real_path(dir.native()));
  return dirs;
}

template <class Member>
bool is_same(const Member& one, const Member& other) {
  return one == other;
}

// Equal texts are not always shared.
bool is_same(const std::shared_ptr<const std::string>& one,
             const std::shared_ptr<const std::string>& other) {
  return one == other || (one && other && *one == *other);
}

}  // namespace

Result<void> SessionBounds::check(const session::Settings& wanted, const std::string& name,
                                  const session::Settings* before) const {
  const config::Agent* const agent = config::agent(config_, name);
  const Profile* const profile = profiles_.find(name);
  if (!profile) return Error{ErrorKind::NotFound, "no such agent"};
  const auto same = [&](auto member) { return before && is_same(wanted.*member, before->*member); };
  using session::Settings;
  const bool same_providers = same(&Settings::mcp_providers);
  if (!same(&Settings::mode)) HOST_TRY(check_mode(wanted, agent));
  if (!same(&Settings::working_dirs)) HOST_TRY(check_dirs(wanted, agent));
  if (!same(&Settings::groups)) HOST_TRY(check_groups(wanted, *profile));
  if (!same_providers) HOST_TRY(check_providers(wanted, *profile));
  // Tools and presets are checked with what the providers offer.
  if (!same_providers || !same(&Settings::tools)) HOST_TRY(check_tools(wanted, *profile));
  if (!same_providers || !same(&Settings::presets)) HOST_TRY(check_presets(wanted, *profile));
  return {};
}

Result<void> SessionBounds::check_mode(const session::Settings& wanted,
                                       const config::Agent* agent) const {
  if (!wanted.mode) return {};
  const permission::Mode base = agent && agent->mode ? *agent->mode : config_.permission.mode;
  if (permission::stricter(*wanted.mode, base) == *wanted.mode) return {};
  return json::fault_at(kModePlace, in_quotes(permission::to_string(*wanted.mode)) +
                                        " allows more than the agent's mode " +
                                        in_quotes(permission::to_string(base)) +
                                        ": a session can only choose a stricter mode");
}

Result<void> SessionBounds::check_dirs(const session::Settings& wanted,
                                       const config::Agent* agent) const {
  if (!wanted.working_dirs) return {};
  const std::vector<std::string> allowed = real_dirs(config_, agent);
  for (std::size_t i = 0; i < wanted.working_dirs->size(); ++i) {
    const std::string& dir = (*wanted.working_dirs)[i];
    if (dir.empty() || dir.front() != '/' || dir.find('\0') != dir.npos)
      return json::fault_at(place_of(kDirsPlace, i), "expected an absolute path");
    const std::string real = permission::real_path(dir);
    const bool inside = std::any_of(allowed.begin(), allowed.end(), [&](const std::string& each) {
      return permission::is_inside(real, each);
    });
    if (inside) continue;
    return json::fault_at(place_of(kDirsPlace, i),
                          "is not inside a working directory that the host or the agent has "
                          "(permission.working_dirs)");
  }
  return {};
}

bool SessionBounds::may_switch(const std::string& group, const std::string& agent) const {
  const Profile* const profile = profiles_.find(agent);
  return profile && profile->groups().may_switch(group);
}

Result<void> SessionBounds::check_groups(const session::Settings& wanted,
                                         const Profile& profile) const {
  if (!wanted.groups) return {};
  for (std::size_t i = 0; i < wanted.groups->size(); ++i) {
    const std::string& name = (*wanted.groups)[i];
    if (profile.groups().may_switch(name)) continue;
    return json::fault_at(place_of(kGroupsPlace, i),
                          "this session cannot switch a group " + in_quotes(name));
  }
  return {};
}

Result<void> SessionBounds::check_providers(const session::Settings& wanted,
                                            const Profile& profile) const {
  if (!wanted.mcp_providers) return {};
  const auto snapshot = profile.snapshot();
  for (std::size_t i = 0; i < wanted.mcp_providers->size(); ++i) {
    const std::string& name = (*wanted.mcp_providers)[i];
    const auto& entries = snapshot->entries();
    const bool seen = std::any_of(entries.begin(), entries.end(), [&](const tool::Entry& each) {
      return !each.provider->identity().is_host() && each.provider->name() == name;
    });
    if (seen) continue;
    return json::fault_at(
        place_of(kProvidersPlace, i),
        "this agent sees no provider " + in_quotes(name) + ": GET /v1/mcp/providers lists them");
  }
  return {};
}

Result<void> SessionBounds::check_tools(const session::Settings& wanted,
                                        const Profile& profile) const {
  const auto own = sets_.of(wanted.tools);
  if (!own) return {};
  const auto seen = narrowed_to(profile.snapshot(), wanted.mcp_providers);
  for (const auto& tool : own->tools) {
    if (!seen->find(tool->name())) continue;
    return json::fault_at(json::child_of(kToolsPlace, tool->name()),
                          "the name is already taken by a tool that the session sees");
  }
  return {};
}

Result<void> SessionBounds::check_presets(const session::Settings& wanted,
                                          const Profile& profile) const {
  if (!wanted.presets) return {};
  const auto seen = narrowed_to(profile.snapshot(), wanted.mcp_providers);
  for (const auto& [name, presets] : presets_in(*wanted.presets)) {
    const std::string place = json::child_of(kPresetsPlace, name.substr(0, 80));
    const tool::Entry* const entry = seen->find(name);
    if (!entry || is_run_by_the_host(*entry->tool))
      return json::fault_at(place, "the session sees no plugin's or upstream's tool of this name");
    const auto fixed = with_presets(*entry, presets, PresetsOf::Client);
    if (!fixed) return json::fault_at(place, fixed.error().message);
  }
  return {};
}

}  // namespace host::router
