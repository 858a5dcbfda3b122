// Decides which refused parts of a plugin's offer the log reports. A plugin can change its offer
// several times in a second, and the log reports each refusal only once.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tool/provider/offers.h"

namespace host::plugin {

class LoggedRefusals {
 public:
  // The maximum number of refusals that the log reports after a plugin was loaded.
  static constexpr std::size_t kMost = 1000;

  // Returns the refusals that the log has not reported since begin().
  std::vector<tool::Refusal> take(const std::vector<tool::Refusal>& refusals) {
    std::vector<tool::Refusal> fresh;
    for (const tool::Refusal& refusal : refusals) {
      if (logged_.size() >= kMost) break;
      if (logged_.emplace(refusal.tool, refusal.reason).second) fresh.push_back(refusal);
    }
    return fresh;
  }

  // Call begin() each time a build of the plugin begins to serve.
  void begin() { logged_.clear(); }

 private:
  std::set<std::pair<std::string, std::string>> logged_;
};

}  // namespace host::plugin
