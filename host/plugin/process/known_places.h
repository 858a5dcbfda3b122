// A table of the source places at which earlier calls crashed. If another call crashes at the same
// place, KnownPlaces gives the function and line immediately, without a slow search. The functions
// of this header are called on the I/O thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plugin/process/symbolizer.h"

namespace host::plugin {

class KnownPlaces {
 public:
  // Returns null if the table has no trace for these frames. `library` is the path of the private
  // copy, which never changes. `frames` has the same form as TraceRequest::frames.
  const Trace* find(const std::string& library, const std::vector<std::uint64_t>& frames) const {
    const auto at = known_.find({library, frames});
    return at == known_.end() ? nullptr : &at->second;
  }
  void add(const std::string& library, const std::vector<std::uint64_t>& frames,
           const Trace& trace) {
    if (trace.empty()) return;
    if (known_.size() >= kMost) known_.clear();
    known_.insert_or_assign({library, frames}, trace);
  }

 private:
  static constexpr std::size_t kMost = 64;
  std::map<std::pair<std::string, std::vector<std::uint64_t>>, Trace> known_;
};

}  // namespace host::plugin
