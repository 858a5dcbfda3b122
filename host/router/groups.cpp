#include "router/groups.h"

#include <algorithm>

namespace host::router {

Groups::Groups(const std::vector<config::Group>& groups) {
  for (const config::Group& group : groups) {
    active_[group.name] = group.active;
    for (const std::string& tool : group.tools) listed_in_[tool].push_back(group.name);
  }
}

bool Groups::is_active(const std::string& group) const {
  const auto known = active_.find(group);
  return known == active_.end() || known->second;
}

bool Groups::offers(const tool::Tool& tool) const {
  if (active_.empty()) return true;
  const std::string& own = tool.declared().group;
  const auto listed = listed_in_.find(tool.name());
  if (listed == listed_in_.end()) return own.empty() || is_active(own);
  if (!own.empty() && is_active(own)) return true;
  return std::any_of(listed->second.begin(), listed->second.end(),
                     [this](const std::string& group) { return is_active(group); });
}

}  // namespace host::router
