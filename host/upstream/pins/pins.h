// Which definitions of one upstream's tools are served. A definition that differs from the accepted
// one, and a tool that was not there before, wait for the operator; meanwhile the tool is hidden.
// Pure: the caller stores what changed.
//
// A tool that is offered no more keeps its accepted definition, so that nobody is asked when it
// comes back unchanged. Only so many of these are kept. One that was dropped is a new tool when it
// comes back, and waits like any other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/upstream.h"
#include "store/pin_store.h"
#include "upstream/pins/definition.h"

namespace host::upstream {

// Of the tools that are offered no more.
struct WithdrawnLimits {
  std::uint64_t tools = 1000;
  std::uint64_t bytes = 16u << 20u;  // of their definitions
};

// Of definitions that wait, with the names of their tools. Empty: there are none.
std::string digest_of_all(const std::vector<store::PinRecord>& held);

class Pins {
 public:
  Pins(std::string upstream, config::Pin mode, WithdrawnLimits limits = {})
      : upstream_(std::move(upstream)), mode_(mode), limits_(limits) {}

  // What was stored for this upstream.
  void load(const std::vector<store::PinRecord>& records);

  // The upstream's list now. Returns the records that changed. Those that are to be removed from
  // the store have no definition (store/pin_store.h).
  std::vector<store::PinRecord> compare(const std::vector<Definition>& definitions, WallTime now);

  // Accepts what waits for this tool; empty: all that waits. `digest`: of what the reviewer saw, as
  // digest_held() gave it. NotFound: nothing waits there. InvalidArgument: something else waits.
  Result<std::vector<store::PinRecord>> accept(std::string_view tool, std::string_view digest,
                                               const std::string& by, WallTime now);
  // Of the definition that waits for this tool; without a tool: of all that wait, with their names.
  // Empty: nothing waits.
  std::string digest_held(std::string_view tool) const;

  // Accepted, and the same in the upstream's last list.
  std::vector<Definition> served() const;
  bool serves(std::string_view tool) const;
  // All that are known, also those that are offered no more.
  std::vector<std::string> tools() const;
  // Those that wait, by tool.
  std::vector<store::PinRecord> held() const;
  // Whether the upstream's list was ever seen.
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
