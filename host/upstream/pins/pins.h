// Decides which definitions of one upstream's tools are served. A definition that differs from the
// accepted one, and a new tool, wait for the operator. Meanwhile the tool is hidden. It has no side
// effects: the caller stores the changes.
//
// If the upstream no longer offers a tool, the accepted definition is kept. So the tool is served
// at once if the upstream offers it again unchanged. WithdrawnLimits limits these kept definitions.
// A tool whose definition was dropped counts as new.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/upstream.h"
#include "store/part/pin_store.h"
#include "upstream/pins/definition.h"

namespace host::upstream {

// Limits for tools that the upstream no longer offers.
struct WithdrawnLimits {
  std::uint64_t tools = 1000;
  std::uint64_t bytes = 16u << 20u;  // of their definitions
};

// The digest of all waiting definitions, with the names of their tools. Empty: there are none.
std::string digest_of_all(const std::vector<store::PinRecord>& held);

class Pins {
 public:
  Pins(std::string upstream, config::Pin mode, WithdrawnLimits limits = {})
      : upstream_(std::move(upstream)), mode_(mode), limits_(limits) {}

  // Loads the stored records of this upstream.
  void load(const std::vector<store::PinRecord>& records);

  // Compares the records with the upstream's current list. Returns the changed records. Records
  // without a definition must be removed from the store (store/part/pin_store.h).
  std::vector<store::PinRecord> compare(const std::vector<Definition>& definitions, WallTime now);

  // Accepts the waiting definition of this tool; empty: all waiting definitions. `digest`: the
  // digest_held() of what the reviewer saw. NotFound: no definition waits. InvalidArgument: a
  // different definition waits now.
  Result<std::vector<store::PinRecord>> accept(std::string_view tool, std::string_view digest,
                                               const std::string& by, WallTime now);
  // The digest of the waiting definition of this tool; without a tool: of all waiting definitions,
  // with their names. Empty: no definition waits.
  std::string digest_held(std::string_view tool) const;

  // The accepted definitions that are the same in the upstream's last list.
  std::vector<Definition> served() const;
  bool serves(std::string_view tool) const;
  // All known tools, also those that the upstream no longer offers.
  std::vector<std::string> tools() const;
  // The waiting definitions, by tool.
  std::vector<store::PinRecord> held() const;
  // True if the upstream's list was ever read.
  bool seen() const { return records_.contains(""); }

 private:
  bool accepts_at_once(bool first) const;
  std::vector<store::PinRecord> drop_withdrawn();

  const std::string upstream_;
  const config::Pin mode_;
  const WithdrawnLimits limits_;
  std::map<std::string, store::PinRecord, std::less<>> records_;  // by tool; "": see PinRecord
};

}  // namespace host::upstream
