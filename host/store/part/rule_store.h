// Stores the rules that reviewers added with "always". A rule that was added with "always" applies
// until somebody removes it. Every function blocks. Only one thread at a time may use the store.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct RuleRecord {
  std::string id;
  std::string rule;    // JSON object, as permission::write() returns it
  std::string source;  // the reviewer and the approval request from which the rule was stored
  WallTime created{};
  std::string agent;    // the rule applies to this agent's calls; empty: to all
  std::string session;  // the rule applies to this session's calls; empty: to all
  // If `principal` is set, the rule applies only to this principal's calls with the agent `agent`.
  // If `agent` is empty, the rule applies only to this principal's calls without an agent. If
  // `principal` is empty, the rule applies to all principals.
  std::string principal = {};

  bool operator==(const RuleRecord&) const = default;
};

class RuleStore {
 public:
  virtual ~RuleStore() = default;
  virtual Result<std::vector<RuleRecord>> list() = 0;  // the oldest first
  // Removes a rule and returns it. The Error NotFound means that there is no such rule.
  virtual Result<RuleRecord> remove(std::string_view id) = 0;
};

}  // namespace host::store
