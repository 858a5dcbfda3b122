// Tool groups of the configuration. A tool that is in groups is offered while one of them is
// active. Only the operator decides which groups are active. Immutable.
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

  // True if the group that the tool itself names, or a group that lists it, is active. The group
  // `basic` is always active. So is a group without a [[group]] section, because nobody could
  // activate it.
  bool offers(const tool::Tool& tool) const;
  // The same, with only those of the active groups that `only` lists.
  bool offers(const tool::Tool& tool, const std::vector<std::string>& only) const;

  // The names of the active groups, sorted. `only` as above; null: all.
  std::vector<std::string> active(const std::vector<std::string>* only) const;

 private:
  bool is_active(const std::string& group, const std::vector<std::string>* only) const;
  bool offers(const tool::Tool& tool, const std::vector<std::string>* only) const;

  std::map<std::string, bool> active_;
  std::map<std::string, std::vector<std::string>> listed_in_;  // tool -> groups
};

}  // namespace host::router
