// A profile is the view of the catalog that one agent has. [agent.NAME] can leave out plugins and
// skills, fix arguments, and choose the active groups. Callers without an agent use the host's
// profile. The host's profile leaves out only the upstreams that the configuration reserves for
// certain agents. The functions of this header are called on the I/O thread.
//
// If the configuration lists `agents` for an upstream, only these agents see the upstream. All
// callers see an upstream without `agents`, except agents whose profile lists plugins.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/config.h"
#include "router/view/groups.h"
#include "router/view/preset_tools.h"
#include "tool/provider/catalog.h"

namespace host::router {

// The slot and the provider name for the host's skills: the Skill tool, and the skills as resources
// and prompts.
inline constexpr std::string_view kBuiltin = "builtin";
// The slot and the provider name for the host's tools that work with a session. Callers without a
// session do not see the tools of kSessionTools.
inline constexpr std::string_view kSessionTools = "session tools";

// Slot and provider name of the tools of the host that every profile contains.
inline constexpr std::string_view kHostTools = "host tools";
// The slot and the provider name for the host's tools that search for tools. Only callers that can
// reach many tools see these search tools.
inline constexpr std::string_view kSearchTools = "search tools";

class Profile {
 public:
  // `agent` is null for the host's profile. `hidden` contains the upstreams that the agent cannot
  // see. `name` is the name of the agent.
  Profile(tool::Catalog& catalog, const std::vector<config::Group>& groups,
          const config::Agent* agent, std::set<std::string> hidden = {}, std::string name = {});

  // Replaces the catalog's builtin provider by a provider that has this agent's skills.
  void set_builtin(std::shared_ptr<tool::Provider> provider);
  // Sets this agent's provider of the tools that work with a session, instead of the catalog's
  // provider.
  void set_session_tools(std::shared_ptr<tool::Provider> provider);
  // Reports that the skills of the provider that was given to set_builtin() have changed.
  void builtin_changed() { *made_ = {}; }
  // Replaces the set of upstreams that the agent cannot see. Returns false if `hidden` is equal to
  // the earlier set.
  bool hide_upstreams(std::set<std::string> hidden);

  // Returns the catalog's snapshot without the tools that this agent cannot see. The snapshot
  // always contains the tools that the host calls itself: post_ and internal tools.
  const std::shared_ptr<const tool::Snapshot>& snapshot() const;
  // Returns the same snapshot with the provider `builtin`, for a session whose skills differ from
  // the skills of its agent.
  std::shared_ptr<const tool::Snapshot> snapshot_with(
      const std::shared_ptr<tool::Provider>& builtin) const;

  const Groups& groups() const { return groups_; }
  // Returns false if the agent can see no tool, resource or prompt of this plugin or upstream. All
  // agents see the providers of the host itself.
  bool sees(const tool::ProviderIdentity::Id& provider) const;

 private:
  // The snapshots that the profile has made from the catalog's current snapshot.
  struct Made {
    std::shared_ptr<const tool::Snapshot> own;  // null: the snapshot was not made yet
    struct Other {
      std::shared_ptr<tool::Provider> builtin;
      std::shared_ptr<const tool::Snapshot> snapshot;
    };
    std::list<Other> others;  // the first is the most recently used snapshot
  };
  static constexpr std::size_t kMostOthers = 32;

  bool keeps(const tool::Provider& provider, const tool::Provider* builtin) const;
  std::shared_ptr<const tool::Snapshot> narrowed(
      const std::shared_ptr<tool::Provider>& builtin) const;

  const tool::Catalog& catalog_;
  const Groups groups_;
  const std::optional<std::set<std::string>> plugins_;  // nullopt: the agent sees all
  std::set<std::string> hidden_upstreams_;
  const Presets presets_;
  const std::string agent_;                        // the agent's name, for the log
  std::shared_ptr<tool::Provider> builtin_;        // null: the agent has the catalog's
  std::shared_ptr<tool::Provider> session_tools_;  // null: the agent has the catalog's
  const std::shared_ptr<Made> made_ = std::make_shared<Made>();
};

class Profiles {
 public:
  Profiles(tool::Catalog& catalog, const config::Config& config);

  // Returns the profile of the agent with this name, or the host's profile for an empty name.
  // Returns nullptr if no agent has this name. Callers that name an unknown agent see no tools.
  const Profile* find(std::string_view agent) const;
  Profile* find(std::string_view agent);

  // Applies the upstreams of this configuration, and the settings that say which agents see them.
  // Returns false if every profile sees the same upstreams as before.
  bool take_upstreams(const config::Config& config);
  // While the host exchanges upstreams, an agent cannot see upstreams that are hidden from it by
  // the configuration `before` or by `after`. In the two configurations, the same name can mean
  // different upstreams with different agents.
  bool take_upstreams_of_both(const config::Config& before, const config::Config& after);

 private:
  using Hidden = std::function<std::set<std::string>(const std::string& agent)>;
  bool hide(const Hidden& hidden);

  Profile own_;
  std::map<std::string, Profile, std::less<>> agents_;
};

// Returns true for the tools that only the host calls: post_ tools and internal tools.
bool is_run_by_the_host(const tool::Tool& tool);

// Returns the upstreams that this agent cannot see. An empty name means callers without an agent.
std::set<std::string> hidden_upstreams(const config::Config& config, const std::string& agent);

// Returns the configured groups, with the changes that this agent's settings make to them.
std::vector<config::Group> groups_for(const std::vector<config::Group>& groups,
                                      const config::Agent& agent);

// Returns which groups a session of this agent may switch: all groups, or only those that the
// agent lists. `agent` is null for callers without an agent.
Switchable switchable_for(const config::Agent* agent);
std::vector<config::Group> switchable_groups(const config::Config& config,
                                             const config::Agent* agent);

}  // namespace host::router
