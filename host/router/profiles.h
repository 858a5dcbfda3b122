// What callers see of the catalog, by the agent as which they call: [agent.NAME] may leave out
// plugins and skills, and says which groups are active for it. Who calls as no agent has the host's
// own profile, which leaves out nothing. I/O thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/config.h"
#include "router/groups.h"
#include "tool/catalog.h"

namespace host::router {

// The slot in which the host's own tools are served. That they are its own, their provider's
// identity says.
inline constexpr std::string_view kBuiltin = "builtin";

class Profile {
 public:
  // `agent` null: the host's own.
  Profile(tool::Catalog& catalog, const std::vector<config::Group>& groups,
          const config::Agent* agent);

  // In place of the catalog's own tools of the host: the skills that this agent has.
  void set_builtin(std::shared_ptr<tool::Provider> provider);
  // What that offers has changed.
  void builtin_changed() { narrowed_->reset(); }

  // The catalog's, without what this agent shall not see. What the host runs of itself, post_ and
  // internal tools, is always there.
  const std::shared_ptr<const tool::Snapshot>& snapshot() const;

  // By its groups.
  bool offers(const tool::Tool& tool) const { return groups_.offers(tool); }

 private:
  bool keeps(const tool::Provider& provider) const;
  std::shared_ptr<const tool::Snapshot> narrowed(const tool::Snapshot& all) const;

  const tool::Catalog& catalog_;
  const Groups groups_;
  const std::optional<std::set<std::string>> plugins_;  // nothing: all
  std::shared_ptr<tool::Provider> builtin_;             // null: the catalog's
  // Of the catalog's present snapshot; null until it is asked for.
  const std::shared_ptr<std::shared_ptr<const tool::Snapshot>> narrowed_ =
      std::make_shared<std::shared_ptr<const tool::Snapshot>>();
};

class Profiles {
 public:
  Profiles(tool::Catalog& catalog, const config::Config& config);

  // Of the agent of this name, or the host's own for the empty one. nullptr: there is no such
  // agent, and it sees nothing.
  const Profile* find(std::string_view agent) const;
  Profile* find(std::string_view agent);

 private:
  Profile own_;
  std::map<std::string, Profile, std::less<>> agents_;
};

// The groups as this agent has them.
std::vector<config::Group> groups_for(const std::vector<config::Group>& groups,
                                      const config::Agent& agent);

}  // namespace host::router
