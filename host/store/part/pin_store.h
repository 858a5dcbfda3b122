// Accepted definitions of upstreams' tools, and changed definitions that wait for a decision. Every
// call blocks; one thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct PinRecord {
  std::string upstream;
  std::string tool;      // the upstream's name; empty: the row that says: upstream seen before
  std::string accepted;  // the definition as JSON; empty: none was accepted yet
  std::string held;      // the waiting definition, if it differs; empty: none
  bool offered = false;  // it was in the upstream's last list
  WallTime changed{};    // last change of `accepted` or `held`
  std::string by;        // who accepted: "first connection", "off", "rest:anna"

  bool operator==(const PinRecord&) const = default;
};

class PinStore {
 public:
  virtual ~PinStore() = default;

  virtual Result<std::vector<PinRecord>> list() = 0;  // ordered by upstream and tool
  // Adds or replaces all records, or none. A record of a tool that is not offered and has no
  // definition is removed.
  virtual Result<void> put(const std::vector<PinRecord>& records) = 0;
  // Removes all records of an upstream. The next connection is like the first one.
  virtual Result<void> forget(std::string_view upstream) = 0;
};

}  // namespace host::store
