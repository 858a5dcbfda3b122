// Which definitions of one upstream's tools are served. A definition that differs from the accepted
// one, and a tool that was not there before, wait for the operator; meanwhile the tool is hidden.
// Pure: the caller stores what changed.
#pragma once

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

class Pins {
 public:
  Pins(std::string upstream, config::Pin mode) : upstream_(std::move(upstream)), mode_(mode) {}

  // What was stored for this upstream.
  void load(const std::vector<store::PinRecord>& records);

  // The upstream's list now. Returns the records that changed.
  std::vector<store::PinRecord> compare(const std::vector<Definition>& definitions, WallTime now);

  // Accepts what waits for this tool; empty: all that waits. NotFound: nothing waits there.
  Result<std::vector<store::PinRecord>> accept(std::string_view tool, const std::string& by,
                                               WallTime now);

  // Accepted, and the same in the upstream's last list.
  std::vector<Definition> served() const;
  // Those that wait, by tool.
  std::vector<store::PinRecord> held() const;
  // Whether the upstream's list was ever seen.
  bool seen() const { return records_.contains(""); }

 private:
  bool accepts_at_once(bool first) const;

  const std::string upstream_;
  const config::Pin mode_;
  std::map<std::string, store::PinRecord, std::less<>> records_;  // by tool; "": see PinRecord
};

}  // namespace host::upstream
