// Rules that reviewers stored with "always". They apply until they are removed. Every call blocks;
// one thread at a time.
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
  std::string source;  // the reviewer and the approval that stored it
  WallTime created{};
  std::string agent;    // only calls of this agent; empty: all calls
  std::string session;  // only calls of this session; empty: all calls
  // Only calls of this principal with `agent`, or without an agent if `agent` is empty. Empty: all
  // principals.
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
