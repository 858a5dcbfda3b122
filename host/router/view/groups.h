// Tool groups of the configuration. A tool that is in groups is offered while one of its groups is
// active. The operator decides which groups are active at first, and which a session may switch.
// Immutable.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "tool/provider/catalog.h"

namespace host::router {

// Which groups a session may have active.
enum class Switchable { All, ActiveOnes };

class Groups {
 public:
  explicit Groups(const std::vector<config::Group>& groups,
                  Switchable switchable = Switchable::ActiveOnes);

  // True if the group that the tool itself names, or a group that lists the tool, its plugin or its
  // upstream, is active. The group `basic` is always active. So is a group without a [[group]]
  // section, because nobody could activate it.
  bool offers(const tool::Entry& entry) const { return offers(entry, nullptr); }
  // The same for a session that chose its active groups. Chosen groups that the session may not
  // switch are ignored.
  bool offers(const tool::Entry& entry, const std::vector<std::string>& chosen) const {
    return offers(entry, &chosen);
  }

  // The names of the active groups, sorted. `chosen` as above; null: the session chose none.
  std::vector<std::string> active(const std::vector<std::string>* chosen) const;
  bool may_switch(const std::string& group) const;
  // True if the tool is offered, or would be offered in a session that activates its groups.
  bool reaches(const tool::Entry& entry) const;
  // The groups of the tool that a session may switch.
  std::vector<std::string> switchable_of(const tool::Entry& entry) const;
  // Names and descriptions of all groups of the tool, as one text for the search.
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
  // True for a tool in no group, or if `is` is true for one of its groups.
  template <class Is>
  bool no_or_any_group(const tool::Entry& entry, const Is& is) const;
  // The groups that list the name of the tool or of its provider. Null: none.
  const Names* listing_tool(const tool::Entry& entry) const;
  const Names* listing_provider(const tool::Entry& entry) const;
  Names all_of(const tool::Entry& entry) const;

  std::unordered_map<std::string, Group> known_;
  Lists of_tool_;  // name -> groups
  Lists of_plugin_;
  Lists of_upstream_;
};

}  // namespace host::router
