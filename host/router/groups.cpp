#include "router/groups.h"

#include <algorithm>

namespace host::router {

Groups::Groups(const std::vector<config::Group>& groups) {
  for (const config::Group& group : groups) {
    active_[group.name] = group.active;
    for (const std::string& tool : group.tools) listed_in_[tool].push_back(group.name);
  }
}

bool Groups::is_active(const std::string& group, const std::vector<std::string>* only) const {
  const auto known = active_.find(group);
  if (known == active_.end()) return true;
  return known->second && (!only || std::find(only->begin(), only->end(), group) != only->end());
}

std::vector<std::string> Groups::active(const std::vector<std::string>* only) const {
  std::vector<std::string> names;
  for (const auto& [name, active] : active_) {
    if (is_active(name, only)) names.push_back(name);
  }
  return names;
}

bool Groups::offers(const tool::Tool& tool) const {
  return offers(tool, nullptr);
}

bool Groups::offers(const tool::Tool& tool, const std::vector<std::string>& only) const {
  return offers(tool, &only);
}

bool Groups::offers(const tool::Tool& tool, const std::vector<std::string>* only) const {
  if (active_.empty()) return true;
  const std::string& own = tool.declared().group;
  const auto listed = listed_in_.find(tool.name());
  if (listed == listed_in_.end()) return own.empty() || is_active(own, only);
  if (!own.empty() && is_active(own, only)) return true;
  return std::any_of(listed->second.begin(), listed->second.end(),
                     [&](const std::string& group) { return is_active(group, only); });
}

}  // namespace host::router
