// Stores the accepted definitions of upstreams' tools, and changed definitions that wait for a
// decision. Every function blocks. Only one thread at a time may use the store.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct PinRecord {
  std::string upstream;
  // The name that the tool has in the upstream. If `tool` is empty, the record says only that the
  // host has connected to the upstream before.
  std::string tool;
  std::string accepted;  // the definition as JSON; empty: none was accepted yet
  std::string held;      // a changed definition that waits for a decision; empty: none
  bool offered = false;  // true: the tool was in the upstream's last list
  WallTime changed{};    // time of the last change of `accepted` or `held`
  std::string by;        // who accepted: "first connection", "off", "rest:anna"

  bool operator==(const PinRecord&) const = default;
};

class PinStore {
 public:
  virtual ~PinStore() = default;

  // Sorted by upstream and tool. If hosts hold different definitions of a tool, the record has the
  // definition that was stored last.
  virtual Result<std::vector<PinRecord>> list() = 0;
  // Returns one record for each definition that a host holds, sorted by upstream and tool. Hosts
  // can hold different definitions of one tool. A process that has ended without a change of its
  // definition counts as a host that holds it, until another process stores a record of the tool.
  virtual Result<std::vector<PinRecord>> held() = 0;
  // Adds or replaces the records. After an Error, none of the records is stored. The store removes
  // the record of a tool that is not offered and has no definition. The store ignores a record if
  // `held` is already accepted in the store, because another host accepted it meanwhile. Records
  // with a `held`, and records with an earlier `changed` than the stored record, do not change an
  // `accepted` that the store already has.
  virtual Result<void> put(const std::vector<PinRecord>& records) = 0;
  // Like put(), but for records of other hosts' definitions that a person has accepted. The
  // definitions that this host holds continue to wait, except the accepted ones.
  virtual Result<void> put_accepted(const std::vector<PinRecord>& records) = 0;
  // Stores the records of the first list of `upstream`, unless the store has records of this
  // upstream already. Returns all records of the upstream that are in the store now. If another
  // host read the list first, the returned records are those of that host. After an Error, no
  // record is stored.
  virtual Result<std::vector<PinRecord>> put_first(std::string_view upstream,
                                                   const std::vector<PinRecord>& records) = 0;
  // Removes all records of an upstream, so that the host treats its next connection to the upstream
  // as the first one.
  virtual Result<void> forget(std::string_view upstream) = 0;
};

}  // namespace host::store
