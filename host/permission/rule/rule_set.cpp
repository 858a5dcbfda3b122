#include "permission/rule/rule_set.h"

#include <utility>

namespace host::permission {

RuleSet::RuleSet(std::vector<Rule> rules) {
  for (Rule& each : rules) {
    const auto rule = std::make_shared<const Rule>(std::move(each));
    ToolRules& known = by_tool_[rule->tool];
    switch (rule->behavior) {
      case Behavior::Allow:
        known.allow.push_back(rule);
        break;
      case Behavior::Ask:
        known.ask.push_back(rule);
        break;
      case Behavior::Deny:
        known.deny.push_back(rule);
        if (rule->whole_tool() && known.denied == nullptr) known.denied = rule;
        break;
    }
  }
}

const ToolRules* RuleSet::find(std::string_view tool) const {
  if (by_tool_.empty()) return nullptr;
  const auto found = by_tool_.find(tool);
  return found == by_tool_.end() ? nullptr : &found->second;
}

bool RuleSet::denied_by_name(std::string_view tool) const {
  const ToolRules* rules = find(tool);
  return rules != nullptr && rules->denied != nullptr;
}

}  // namespace host::permission
