// Definitions of upstreams' tools that were accepted, and changed ones that wait for a decision.
// Every call blocks; one thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct PinRecord {
  std::string upstream;
  std::string tool;      // as the upstream names it; empty: the row that says it was seen before
  std::string accepted;  // the definition as JSON; empty: none was accepted yet
  std::string held;      // what it has now, if that differs and waits; empty: nothing waits
  bool offered = false;  // it was in the upstream's last list
  WallTime changed{};    // when `accepted` or `held` changed last
  std::string by;        // who accepted: "first connection", "off", "rest:anna"

  bool operator==(const PinRecord&) const = default;
};

class PinStore {
 public:
  virtual ~PinStore() = default;

  virtual Result<std::vector<PinRecord>> list() = 0;  // ordered by upstream and tool
  // Adds or replaces each, all or none. A record of a tool that is not offered and has no
  // definition is removed.
  virtual Result<void> put(const std::vector<PinRecord>& records) = 0;
  // Removes all of an upstream. The next connection is like the first one.
  virtual Result<void> forget(std::string_view upstream) = 0;
};

}  // namespace host::store
