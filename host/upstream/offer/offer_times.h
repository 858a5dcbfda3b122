// OfferTimes creates the times at which upstreams began to offer their URIs. If two upstreams offer
// the same URI, the upstream that offered the URI first serves it, also after a restart of the
// host. Each new time is later than all earlier times, even if the machine's clock is set back. The
// functions of OfferTimes are called on the I/O thread.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace host::upstream {

class OfferTimes {
 public:
  // `clock` must outlive the OfferTimes object.
  explicit OfferTimes(const Clock& clock) : clock_(clock) {}

  // Returns a time in whole milliseconds that is later than all times that next() returned or saw()
  // got.
  WallTime next() {
    using std::chrono::milliseconds;
    const WallTime now = std::chrono::floor<milliseconds>(clock_.wall());
    latest_ = std::max(now, latest_ + milliseconds(1));
    return latest_;
  }
  // Records a time from the store, so that next() returns later times.
  void saw(WallTime time) { latest_ = std::max(latest_, time); }

 private:
  const Clock& clock_;
  WallTime latest_{};
};

}  // namespace host::upstream
