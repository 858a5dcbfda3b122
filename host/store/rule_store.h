// Rules that reviewers stored with "always". They apply until somebody removes them. Every call
// blocks; one thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct RuleRecord {
  std::string id;
  std::string rule;    // JSON object, as permission::write() gives it
  std::string source;  // who stored it, at which approval
  WallTime created{};
  std::string agent;    // applies only to its calls; empty: to all
  std::string session;  // the same
  // The same, and only with this agent; empty `agent`: only without an agent.
  std::string principal = {};

  bool operator==(const RuleRecord&) const = default;
};

class RuleStore {
 public:
  virtual ~RuleStore() = default;
  virtual Result<std::vector<RuleRecord>> list() = 0;  // the oldest first
  // Returns the removed rule. NotFound: there is no such rule.
  virtual Result<RuleRecord> remove(std::string_view id) = 0;
};

}  // namespace host::store
