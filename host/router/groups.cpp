#include "router/groups.h"

#include <algorithm>

namespace host::router {

Groups::Groups(const std::vector<config::Group>& groups, Switchable switchable) {
  for (const config::Group& group : groups) {
    known_[group.name] = {group.active, group.active || switchable == Switchable::All};
    for (const std::string& tool : group.tools) listed_in_[tool].push_back(group.name);
  }
}

bool Groups::is_active(const std::string& group, const std::vector<std::string>* chosen) const {
  const auto known = known_.find(group);
  if (known == known_.end()) return true;
  if (!chosen) return known->second.active;
  return known->second.switchable &&
         std::find(chosen->begin(), chosen->end(), group) != chosen->end();
}

std::vector<std::string> Groups::active(const std::vector<std::string>* chosen) const {
  std::vector<std::string> names;
  for (const auto& [name, group] : known_) {
    if (is_active(name, chosen)) names.push_back(name);
  }
  return names;
}

bool Groups::may_switch(const std::string& group) const {
  const auto known = known_.find(group);
  return known != known_.end() && known->second.switchable;
}

std::vector<std::string> Groups::switchable_of(const tool::Tool& tool) const {
  std::vector<std::string> names;
  if (may_switch(tool.declared().group)) names.push_back(tool.declared().group);
  const auto listed = listed_in_.find(tool.name());
  if (listed == listed_in_.end()) return names;
  for (const std::string& group : listed->second) {
    if (group != tool.declared().group && may_switch(group)) names.push_back(group);
  }
  return names;
}

bool Groups::offers(const tool::Tool& tool) const {
  return offers(tool, nullptr);
}

bool Groups::offers(const tool::Tool& tool, const std::vector<std::string>& chosen) const {
  return offers(tool, &chosen);
}

bool Groups::offers(const tool::Tool& tool, const std::vector<std::string>* chosen) const {
  if (known_.empty()) return true;
  const std::string& own = tool.declared().group;
  const auto listed = listed_in_.find(tool.name());
  if (listed == listed_in_.end()) return own.empty() || is_active(own, chosen);
  if (!own.empty() && is_active(own, chosen)) return true;
  return std::any_of(listed->second.begin(), listed->second.end(),
                     [&](const std::string& group) { return is_active(group, chosen); });
}

}  // namespace host::router
