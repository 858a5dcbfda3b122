// Checks the settings that a client requests for its session. A setting must not allow more than
// the session's agent may do, because a client with the scope `call` must not be able to give
// itself permissions. The functions of this header are called on the I/O thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/config.h"
#include "router/view/profiles.h"
#include "session/client_tools.h"
#include "session/session.h"

namespace host::router {

// The JSON Pointers of members in the body of an HTTP request. An error about a member contains the
// member's JSON Pointer.
inline constexpr std::string_view kModePlace = "/mode";
inline constexpr std::string_view kDirsPlace = "/workingDirectories";
inline constexpr std::string_view kGroupsPlace = "/groups";
inline constexpr std::string_view kProvidersPlace = "/customizations/extensions/mcpProviders";
inline constexpr std::string_view kToolsPlace = "/customizations/extensions/tools";
inline constexpr std::string_view kPresetsPlace = "/presets";

class SessionBounds {
 public:
  SessionBounds(const config::Config& config, const Profiles& profiles, session::ToolSets& sets)
      : config_(config), profiles_(profiles), sets_(sets) {}

  // Returns an Error with the JSON Pointer of the first setting in `wanted` that sessions of this
  // agent must not have. `before` contains the settings that the session has already. `before` is
  // null if the session is new. The function does not check a setting that the session already has.
  // If such a setting names plugins or groups that the session may no longer use, the session does
  // not get them. The function checks tools and presets again when the providers change.
  Result<void> check(const session::Settings& wanted, const std::string& agent,
                     const session::Settings* before = nullptr) const;
  // Returns true if sessions of this agent may activate the group.
  bool may_switch(const std::string& group, const std::string& agent) const;

 private:
  Result<void> check_mode(const session::Settings& wanted, const config::Agent* agent) const;
  Result<void> check_dirs(const session::Settings& wanted, const config::Agent* agent) const;
  Result<void> check_groups(const session::Settings& wanted, const Profile& profile) const;
  Result<void> check_providers(const session::Settings& wanted, const Profile& profile) const;
  Result<void> check_tools(const session::Settings& wanted, const Profile& profile) const;
  Result<void> check_presets(const session::Settings& wanted, const Profile& profile) const;

  const config::Config& config_;
  const Profiles& profiles_;
  session::ToolSets& sets_;
};

}  // namespace host::router
