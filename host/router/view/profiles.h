// The view of the catalog for each agent. [agent.NAME] can leave out plugins and skills, and sets
// which groups are active. Callers without an agent have the host's own profile, which leaves out
// only upstreams that are for certain agents. I/O thread only.
//
// If an upstream has `agents` in the configuration, only these agents see it. All callers see any
// other upstream, with one exception: an agent that lists its plugins sees only what it lists.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/config.h"
#include "router/view/groups.h"
#include "tool/provider/catalog.h"

namespace host::router {

// The slot of the host's own tools. ProviderIdentity::kind of their provider is Host.
inline constexpr std::string_view kBuiltin = "builtin";
// The slot and the provider name of the host's own tools that work with a session. Only callers
// with a session see them.
inline constexpr std::string_view kSessionTools = "session tools";

// The slot and the provider name of the host's own tools that every profile has.
inline constexpr std::string_view kHostTools = "host tools";
// The slot and the provider name of the host's own tools that search for tools. Only callers that
// can reach many tools see them.
inline constexpr std::string_view kSearchTools = "search tools";

class Profile {
 public:
  // `agent`: null for the host's own profile. `hidden`: upstreams that the agent cannot see.
  Profile(tool::Catalog& catalog, const std::vector<config::Group>& groups,
          const config::Agent* agent, std::set<std::string> hidden = {});

  // Replaces the catalog's builtin provider with one that has this agent's skills.
  void set_builtin(std::shared_ptr<tool::Provider> provider);
  // Replaces the catalog's provider of the tools that work with a session with one for this agent.
  void set_session_tools(std::shared_ptr<tool::Provider> provider);
  // Call this function when the offer of the provider that set_builtin() got has changed.
  void builtin_changed() { narrowed_->reset(); }

  // The catalog's snapshot without the tools that this agent cannot see. Tools that the host calls
  // itself, post_ and internal tools, are always included.
  const std::shared_ptr<const tool::Snapshot>& snapshot() const;

  const Groups& groups() const { return groups_; }

 private:
  bool keeps(const tool::Provider& provider) const;
  std::shared_ptr<const tool::Snapshot> narrowed(const tool::Snapshot& all) const;

  const tool::Catalog& catalog_;
  const Groups groups_;
  const std::optional<std::set<std::string>> plugins_;  // nullopt: all
  const std::set<std::string> hidden_upstreams_;
  std::shared_ptr<tool::Provider> builtin_;        // null: the profile uses the catalog's provider
  std::shared_ptr<tool::Provider> session_tools_;  // null: the profile uses the catalog's provider
  // The snapshot for this agent. It is made from the catalog's current snapshot when it is first
  // needed; null before that.
  const std::shared_ptr<std::shared_ptr<const tool::Snapshot>> narrowed_ =
      std::make_shared<std::shared_ptr<const tool::Snapshot>>();
};

class Profiles {
 public:
  Profiles(tool::Catalog& catalog, const config::Config& config);

  // The profile of the agent with this name, or the host's own for an empty name. nullptr: there is
  // no such agent, and its callers see nothing.
  const Profile* find(std::string_view agent) const;
  Profile* find(std::string_view agent);

 private:
  Profile own_;
  std::map<std::string, Profile, std::less<>> agents_;
};

// True for the tools that only the host calls: post_ tools and internal tools.
bool is_run_by_the_host(const tool::Tool& tool);

// The upstreams that this agent cannot see. An empty name means callers without an agent.
std::set<std::string> hidden_upstreams(const config::Config& config, const std::string& agent);

// Returns the groups, changed by this agent's settings.
std::vector<config::Group> groups_for(const std::vector<config::Group>& groups,
                                      const config::Agent& agent);

// Which groups a session of this agent may switch: all groups, or only those that the agent lists.
// `agent` null: no agent.
Switchable switchable_for(const config::Agent* agent);
std::vector<config::Group> switchable_groups(const config::Config& config,
                                             const config::Agent* agent);

}  // namespace host::router
