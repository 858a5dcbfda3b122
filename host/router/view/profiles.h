// The view of the catalog for each agent. [agent.NAME] can leave out plugins and skills, and says
// which groups are active. Callers without an agent have the host's own profile, which leaves out
// only upstreams that are for certain agents. I/O thread only.
//
// An upstream with `agents` is for these agents alone. Any other upstream is for all callers except
// agents that list their plugins: such an agent sees nothing that it does not name.
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

// The slot of the host's own tools. The identity of their provider says that they belong to the
// host.
inline constexpr std::string_view kBuiltin = "builtin";
// The slot and the provider name of the host's own tools that work with a session. Only callers
// with a session see them.
inline constexpr std::string_view kSessionTools = "session tools";

// The slot and the provider name of the host's own tools that every profile has.
inline constexpr std::string_view kHostTools = "host tools";
// The same for the tools that search for tools. Only callers that can reach many tools see them.
inline constexpr std::string_view kSearchTools = "search tools";

class Profile {
 public:
  // `agent`: null for the host's own profile. `hidden`: upstreams that the agent cannot see.
  Profile(tool::Catalog& catalog, const std::vector<config::Group>& groups,
          const config::Agent* agent, std::set<std::string> hidden = {});

  // Replaces the catalog's builtin provider with one that has this agent's skills.
  void set_builtin(std::shared_ptr<tool::Provider> provider);
  // The same for the tools that work with a session.
  void set_session_tools(std::shared_ptr<tool::Provider> provider);
  // The offer of the provider given to set_builtin() has changed.
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
  std::shared_ptr<tool::Provider> builtin_;        // null: the catalog's
  std::shared_ptr<tool::Provider> session_tools_;  // the same
  // Made from the catalog's current snapshot; null until it is needed.
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

// True for tools that only the host calls: post_ and internal ones.
bool is_run_by_the_host(const tool::Tool& tool);

// The upstreams that this agent cannot see. Empty name: no agent.
std::set<std::string> hidden_upstreams(const config::Config& config, const std::string& agent);

// The groups with this agent's settings.
std::vector<config::Group> groups_for(const std::vector<config::Group>& groups,
                                      const config::Agent& agent);

// The groups that a session of this agent may switch: all, or those that the agent lists. `agent`
// null: no agent.
Switchable switchable_for(const config::Agent* agent);
std::vector<config::Group> switchable_groups(const config::Config& config,
                                             const config::Agent* agent);

}  // namespace host::router
