#include "app/core/rule_change.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/change/difference.h"

namespace host::app {
namespace {

void add_restrictions(const std::vector<config::Rule>& added, std::vector<config::Rule>& into) {
  for (const config::Rule& rule : added) {
    if (rule.behavior != config::Behavior::Allow) into.push_back(rule);
  }
}

}  // namespace

bool have_same_rules(const config::Config& one, const config::Config& other) {
  return one.permission.rules == other.permission.rules &&
         std::equal(one.agents.begin(), one.agents.end(), other.agents.begin(), other.agents.end(),
                    [](const auto& a, const auto& b) { return a.second.rules == b.second.rules; });
}

config::Config with_rules_of_both(const config::Config& before, config::Config after) {
  auto rules = before.permission.rules;
  add_restrictions(after.permission.rules, rules);
  after.permission.rules = std::move(rules);
  for (auto& [name, agent] : after.agents) {
    const auto was = before.agents.find(name);
    if (was == before.agents.end()) continue;
    auto of_agent = was->second.rules;
    add_restrictions(agent.rules, of_agent);
    agent.rules = std::move(of_agent);
  }
  return after;
}

bool differ_in_rules(const config::Config& one, const config::Config& other) {
  const auto differences = config::differences(one, other);
  return std::any_of(differences.begin(), differences.end(), [](const config::Difference& found) {
    return found.key == "rule" || found.key.ends_with(".rule");
  });
}

}  // namespace host::app
