#include "config/change/difference.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "config/key/keys.h"

namespace host::config {
namespace {

class Comparison {
 public:
  void add(std::string key, bool live) { found_.push_back({std::move(key), live}); }

  // Both have the same keys in the same order.
  void keys(const std::string& prefix, const std::vector<Key>& before,
            const std::vector<Key>& after, bool all_live = false) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (toml_value(before[i]) != toml_value(after[i]))
        add(prefix + "." + std::string(before[i].name), all_live || before[i].live);
    }
  }

  std::vector<Difference> take() { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

// By name: `act` gets both, or null for the one that is not there.
template <class Map, class Act>
void each_of(Map& before, Map& after, Act act) {
  typename Map::mapped_type* const none = nullptr;
  for (auto& [name, one] : before) {
    const auto other = after.find(name);
    act(name, &one, other == after.end() ? none : &other->second);
  }
  for (auto& [name, one] : after) {
    if (!before.contains(name)) act(name, none, &one);
  }
}

template <class Entry>
std::map<std::string, Entry> by_name(const std::vector<Entry>& entries, std::string Entry::*name) {
  std::map<std::string, Entry> out;
  for (const Entry& one : entries) out.emplace(one.*name, one);
  return out;
}

void compare_tools(Comparison& into, const std::string& plugin, Plugin& before, Plugin& after) {
  each_of(before.tools, after.tools, [&](const std::string& name, auto* one, auto* other) {
    const std::string key = plugin + ".tool." + name;
    ToolOverride none;
    into.keys(key, tool_keys(one ? *one : none), tool_keys(other ? *other : none));
  });
}

// A section that is not there has the defaults.
void compare_plugins(Comparison& into, Config& before, Config& after) {
  each_of(before.plugins.by_name, after.plugins.by_name,
          [&](const std::string& name, Plugin* one, Plugin* other) {
            const std::string key = "plugin." + name;
            Plugin none;
            Plugin& was = one ? *one : none;
            Plugin& is = other ? *other : none;
            into.keys(key, plugin_keys(was), plugin_keys(is));
            compare_tools(into, key, was, is);
          });
}

// The place of a rule in the file is no difference.
bool are_same(const std::vector<Rule>& before, const std::vector<Rule>& after) {
  return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                    [](Rule one, const Rule& other) {
                      one.source = other.source;
                      return one == other;
                    });
}

void compare_agents(Comparison& into, Config& before, Config& after) {
  each_of(before.agents, after.agents, [&](const std::string& name, Agent* one, Agent* other) {
    const std::string key = "agent." + name;
    if (!one || !other) return into.add(key, false);
    into.keys(key, agent_keys(*one), agent_keys(*other));
    if (!are_same(one->rules, other->rules)) into.add(key + ".rule", true);
  });
}

void compare_upstreams(Comparison& into, const Config& before, const Config& after) {
  auto was = by_name(before.upstream, &Upstream::name);
  auto is = by_name(after.upstream, &Upstream::name);
  each_of(was, is, [&](const std::string& name, Upstream* one, Upstream* other) {
    const std::string key = "upstream." + name;
    if (!one || !other) return into.add(key, true);
    if (*one == *other) return;  // to write all keys takes long, and there can be many upstreams
    into.keys(key, upstream_keys(*one), upstream_keys(*other), true);
    if (one->sandbox != other->sandbox) into.add(key + ".sandbox", true);
  });
}

// A value of the same key in another configuration.
struct Assign {
  const Slot& from;

  template <class T>
  void operator()(T* target) const {
    *target = **std::get_if<T*>(&from);
  }
  void operator()(const EnumSlot& target) const {
    const EnumSlot& source = *std::get_if<EnumSlot>(&from);
    target.set(target.target, source.get(source.target));
  }
  void operator()(const JsonSlot& target) const {
    *target.target = *std::get_if<JsonSlot>(&from)->target;
  }
};

void take_live(const std::vector<Key>& into, const std::vector<Key>& from) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (into[i].live) std::visit(Assign{from[i].slot}, into[i].slot);
  }
}

}  // namespace

std::vector<Difference> differences(const Config& before, const Config& after) {
  if (before == after) return {};
  Config was = before;  // the table of keys points into what can be written
  Config is = after;
  Comparison into;
  const std::vector<Section> old_sections = sections(was);
  const std::vector<Section> new_sections = sections(is);
  for (std::size_t i = 0; i < old_sections.size(); ++i)
    into.keys(std::string(old_sections[i].name), old_sections[i].keys, new_sections[i].keys);
  compare_plugins(into, was, is);
  auto groups = by_name(was.groups, &Group::name);
  auto other_groups = by_name(is.groups, &Group::name);
  each_of(groups, other_groups, [&](const std::string& name, Group* one, Group* other) {
    if (!one || !other) return into.add("group." + name, false);
    into.keys("group." + name, group_keys(*one), group_keys(*other));
  });
  if (was.interceptors != is.interceptors) into.add("interceptor", false);
  compare_upstreams(into, was, is);
  auto webhooks = by_name(was.webhook, &Webhook::id);
  auto other_webhooks = by_name(is.webhook, &Webhook::id);
  each_of(webhooks, other_webhooks, [&](const std::string& id, Webhook* one, Webhook* other) {
    if (!one || !other) return into.add("webhook." + id, false);
    into.keys("webhook." + id, webhook_keys(*one), webhook_keys(*other));
  });
  if (was.skill_repositories != is.skill_repositories) into.add("skill_repository", false);
  if (!are_same(was.permission.rules, is.permission.rules)) into.add("rule", true);
  compare_agents(into, was, is);
  return into.take();
}

Config with_live_keys(const Config& running, const Config& file) {
  Config out = running;
  Config from = file;  // as above
  const std::vector<Section> targets = sections(out);
  const std::vector<Section> sources = sections(from);
  for (std::size_t i = 0; i < targets.size(); ++i) take_live(targets[i].keys, sources[i].keys);
  out.upstream = from.upstream;
  out.permission.rules = from.permission.rules;
  for (auto& [name, agent] : out.agents) {
    const auto same = from.agents.find(name);
    if (same != from.agents.end()) agent.rules = same->second.rules;
  }
  out.names = std::move(from.names);
  out.file = std::move(from.file);
  return out;
}

}  // namespace host::config
