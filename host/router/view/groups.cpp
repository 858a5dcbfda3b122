#include "router/view/groups.h"

#include <algorithm>

namespace host::router {

Groups::Groups(const std::vector<config::Group>& groups, Switchable switchable) {
  for (const config::Group& group : groups) {
    known_[group.name] = {group.active, group.active || switchable == Switchable::All,
                          group.description};
    for (const std::string& tool : group.tools) of_tool_[tool].push_back(group.name);
    for (const std::string& plugin : group.plugins) of_plugin_[plugin].push_back(group.name);
    for (const std::string& one : group.upstreams) of_upstream_[one].push_back(group.name);
    for (const std::string& one : group.skills) of_skill_[one].push_back(group.name);
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
  std::sort(names.begin(), names.end());
  return names;
}

bool Groups::may_switch(const std::string& group) const {
  const auto known = known_.find(group);
  return known != known_.end() && known->second.switchable;
}

std::set<std::string> Groups::hidden_skills(const std::vector<std::string>* chosen) const {
  std::set<std::string> hidden;
  for (const auto& [skill, groups] : of_skill_) {
    const bool shown = std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
      return is_active(group, chosen);
    });
    if (!shown) hidden.insert(skill);
  }
  return hidden;
}

const Groups::Names* Groups::listing_tool(const tool::Entry& entry) const {
  if (of_tool_.empty()) return nullptr;
  const auto found = of_tool_.find(entry.tool->name());
  return found == of_tool_.end() ? nullptr : &found->second;
}

const Groups::Names* Groups::listing_provider(const tool::Entry& entry) const {
  const tool::ProviderIdentity& identity = entry.provider->identity();
  if (!identity.is_plugin() && !identity.is_upstream()) return nullptr;
  const Lists& lists = identity.is_plugin() ? of_plugin_ : of_upstream_;
  if (lists.empty()) return nullptr;
  const auto found = lists.find(identity.name);
  return found == lists.end() ? nullptr : &found->second;
}

Groups::Names Groups::all_of(const tool::Entry& entry) const {
  Names names;
  const auto add = [&names](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  add(entry.tool->declared().group);
  for (const Names* list : {listing_tool(entry), listing_provider(entry)}) {
    if (!list) continue;
    for (const std::string& name : *list) add(name);
  }
  return names;
}

std::vector<std::string> Groups::needed_by(const tool::Entry& entry) const {
  if (known_.empty()) return {};
  Names names = all_of(entry);
  const bool always = std::any_of(names.begin(), names.end(), [this](const std::string& name) {
    return !known_.contains(name);
  });
  return always ? Names() : names;
}

std::vector<std::string> Groups::switchable_of(const tool::Entry& entry) const {
  Names names = all_of(entry);
  std::erase_if(names, [this](const std::string& name) { return !may_switch(name); });
  return names;
}

std::string Groups::words_of(const tool::Entry& entry) const {
  std::string words;
  for (const std::string& name : all_of(entry)) {
    words += name + " ";
    const auto known = known_.find(name);
    if (known != known_.end()) words += known->second.description + " ";
  }
  return words;
}

template <class Is>
bool Groups::no_or_any_group(const tool::Entry& entry, const Is& is) const {
  if (known_.empty()) return true;
  const std::string& own = entry.tool->declared().group;
  const Names* const by_name = listing_tool(entry);
  const Names* const by_provider = listing_provider(entry);
  if (own.empty() && !by_name && !by_provider) return true;
  if (!own.empty() && is(own)) return true;
  return (by_name && std::any_of(by_name->begin(), by_name->end(), is)) ||
         (by_provider && std::any_of(by_provider->begin(), by_provider->end(), is));
}

bool Groups::offers(const tool::Entry& entry, const std::vector<std::string>* chosen) const {
  return no_or_any_group(entry, [&](const std::string& group) { return is_active(group, chosen); });
}

bool Groups::reaches(const tool::Entry& entry) const {
  return no_or_any_group(entry, [&](const std::string& group) {
    return is_active(group, nullptr) || may_switch(group);
  });
}

}  // namespace host::router
