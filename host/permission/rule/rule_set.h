// A RuleSet contains rules that are indexed by tool, so that each call needs only one look-up. A
// set is immutable. If the rules change, the host makes a new set.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "permission/rule/rule.h"

namespace host::permission {

// A rule is shared, because a decision can keep it after the set of rules was destroyed.
using RulePtr = std::shared_ptr<const Rule>;

struct ToolRules {
  std::vector<RulePtr> deny;
  std::vector<RulePtr> ask;
  std::vector<RulePtr> allow;
  RulePtr denied;  // the first deny rule for the whole tool, or null
};

class RuleSet {
 public:
  RuleSet() = default;
  explicit RuleSet(std::vector<Rule> rules);

  // Returns nullptr if no rule names the tool.
  const ToolRules* find(std::string_view tool) const;
  bool denied_by_name(std::string_view tool) const;
  bool empty() const { return by_tool_.empty(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::unordered_map<std::string, ToolRules, Hash, std::equal_to<>> by_tool_;
};

}  // namespace host::permission
