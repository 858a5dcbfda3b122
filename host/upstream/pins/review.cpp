#include "upstream/pins/review.h"

#include <algorithm>
#include <utility>

#include "upstream/pins/definition.h"
#include "upstream/pins/difference.h"

namespace host::upstream {

void Review::take(const std::vector<store::PinRecord>& held) {
  std::size_t bytes = 0;
  changes_.clear();
  for (const store::PinRecord& record : held) {
    HeldChange change;
    change.tool = record.tool;
    change.is_new = record.accepted.empty();
    change.digest = digest_of(record.held);
    change.since = record.changed;
    if (bytes < kMostReviewBytes) {
      Difference differs = difference(record.accepted, record.held);
      change.lines = std::move(differs.lines);
      change.is_cut = differs.is_cut;
      for (const std::string& line : change.lines) bytes += line.size();
    } else {
      change.lines = {"... too much of this upstream waits to be shown at once"};
      change.is_cut = true;
    }
    changes_.push_back(std::move(change));
  }
}

bool Review::is_whole() const {
  return std::none_of(changes_.begin(), changes_.end(),
                      [](const HeldChange& change) { return change.is_cut; });
}

}  // namespace host::upstream
