// The tool groups of the configuration. If a tool belongs to groups, clients can see it while at
// least one of these groups is active. The operator determines which groups are active at first,
// and which groups a session may activate and deactivate. Groups are immutable.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "tool/provider/catalog.h"

namespace host::router {

// The groups that a session may activate: all groups, or only those that the operator activated.
enum class Switchable { All, ActiveOnes };

class Groups {
 public:
  explicit Groups(const std::vector<config::Group>& groups,
                  Switchable switchable = Switchable::ActiveOnes);

  // Returns true if the group that the tool's declaration names is active, or if an active group
  // lists the tool, its plugin or its upstream. The group `basic` is always active. A group without
  // a [[group]] section is also always active, because otherwise nobody could activate it.
  bool offers(const tool::Entry& entry) const { return offers(entry, nullptr); }
  // Does the same as offers(entry), for a session that chose its active groups. offers() ignores
  // groups in `chosen` that the session must not switch.
  bool offers(const tool::Entry& entry, const std::vector<std::string>& chosen) const {
    return offers(entry, &chosen);
  }

  // Returns the names of the active groups, sorted. `chosen` has the groups that the session chose.
  // If `chosen` is null, the session chose no groups.
  std::vector<std::string> active(const std::vector<std::string>* chosen) const;
  bool may_switch(const std::string& group) const;
  // Returns the skills that are in at least one group, but in no active group. `chosen` has the
  // groups that the session chose.
  std::set<std::string> hidden_skills(const std::vector<std::string>* chosen) const;
  bool have_skills() const { return !of_skill_.empty(); }
  // Returns true if a session can use the tool now, or after it has activated one of the tool's
  // groups.
  bool reaches(const tool::Entry& entry) const;
  // Returns the groups that offer the tool. Clients are offered the tool while at least one of
  // these groups is active. If the result is empty, the tool is always offered.
  std::vector<std::string> needed_by(const tool::Entry& entry) const;
  // Returns those groups of the tool that a session may switch.
  std::vector<std::string> switchable_of(const tool::Entry& entry) const;
  // Returns the names and descriptions of all groups of the tool, as one text for the search.
  std::string words_of(const tool::Entry& entry) const;

 private:
  struct Group {
    bool active = false;
    bool switchable = false;
    std::string description;
  };
  using Names = std::vector<std::string>;
  using Lists = std::unordered_map<std::string, Names>;

  bool is_active(const std::string& group, const std::vector<std::string>* chosen) const;
  bool offers(const tool::Entry& entry, const std::vector<std::string>* chosen) const;
  // Returns true if the tool is in no group, or if `is` returns true for one of its groups.
  template <class Is>
  bool no_or_any_group(const tool::Entry& entry, const Is& is) const;
  // Returns the groups that list the name of the tool or of the tool's provider. The result is null
  // if no group lists these names.
  const Names* listing_tool(const tool::Entry& entry) const;
  const Names* listing_provider(const tool::Entry& entry) const;
  Names all_of(const tool::Entry& entry) const;

  std::unordered_map<std::string, Group> known_;
  Lists of_tool_;  // the groups that list a tool, by the tool's name
  Lists of_plugin_;
  Lists of_upstream_;
  std::map<std::string, Names> of_skill_;
};

}  // namespace host::router
