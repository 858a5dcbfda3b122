// Tool groups of the configuration: a tool that stands in groups is offered while one of them is
// active. Which are active is the operator's word alone until sessions can change it. Immutable.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "tool/tool.h"

namespace host::router {

class Groups {
 public:
  explicit Groups(const std::vector<config::Group>& groups);

  // By the group that the tool names itself, and by those that list it. The group `basic` is always
  // active; so is one that no [[group]] describes, for nobody could switch it on.
  bool offers(const tool::Tool& tool) const;

 private:
  bool is_active(const std::string& group) const;

  std::map<std::string, bool> active_;
  std::map<std::string, std::vector<std::string>> listed_in_;  // tool -> groups
};

}  // namespace host::router
