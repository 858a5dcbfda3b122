// Rules that people made by saying "always" to a question. They hold until somebody removes them.
// Every call blocks; one thread at a time.
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
  std::string source;  // who said so, to which question
  WallTime created{};
  std::string agent;           // holds for its calls alone; empty: for all
  std::string session;         // the same
  std::string principal = {};  // the same, and only as this very agent; empty `agent`: as none

  bool operator==(const RuleRecord&) const = default;
};

class RuleStore {
 public:
  virtual ~RuleStore() = default;
  virtual Result<std::vector<RuleRecord>> list() = 0;  // the oldest first
  // What it was. NotFound: there is none of this id.
  virtual Result<RuleRecord> remove(std::string_view id) = 0;
};

}  // namespace host::store
