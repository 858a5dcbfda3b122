// Tool groups of the configuration. A tool that is in groups is offered while one of them is
// active. The operator decides which groups are active at first, and which a session may switch.
// Immutable.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "tool/tool.h"

namespace host::router {

// Which groups a session may have active.
enum class Switchable { All, ActiveOnes };

class Groups {
 public:
  explicit Groups(const std::vector<config::Group>& groups,
                  Switchable switchable = Switchable::ActiveOnes);

  // True if the group that the tool itself names, or a group that lists it, is active. The group
  // `basic` is always active. So is a group without a [[group]] section, because nobody could
  // activate it.
  bool offers(const tool::Tool& tool) const;
  // The same for a session that chose its active groups. Of these, the ones that it may switch
  // count.
  bool offers(const tool::Tool& tool, const std::vector<std::string>& chosen) const;

  // The names of the active groups, sorted. `chosen` as above; null: the session chose none.
  std::vector<std::string> active(const std::vector<std::string>* chosen) const;
  bool may_switch(const std::string& group) const;
  // The groups of the tool that a session may switch.
  std::vector<std::string> switchable_of(const tool::Tool& tool) const;

 private:
  struct Group {
    bool active = false;
    bool switchable = false;
  };
  bool is_active(const std::string& group, const std::vector<std::string>* chosen) const;
  bool offers(const tool::Tool& tool, const std::vector<std::string>* chosen) const;

  std::map<std::string, Group> known_;
  std::map<std::string, std::vector<std::string>> listed_in_;  // tool -> groups
};

}  // namespace host::router
