// Computes the pauses after which the host opens a stream of an upstream again. The functions of
// StandingPause are called on the I/O thread.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "upstream/http/exchange.h"

namespace host::upstream {

// Returns the pause before a request is repeated. `requested` is the pause that the server
// requested, or nullopt.
std::chrono::milliseconds retry_pause(std::optional<std::chrono::milliseconds> requested);

// A StandingPause computes the pauses between streams for messages that belong to no request. If
// the server requests no pause and the streams stay open only briefly, each pause is twice as long
// as the pause before.
class StandingPause {
 public:
  void opened() { opened_ = steady_now(); }
  // Returns the pause after a stream that ended with this outcome.
  std::chrono::milliseconds next(const Exchange::Outcome& outcome);

 private:
  std::optional<std::chrono::milliseconds> requested_;
  SteadyTime opened_{};
  unsigned doublings_ = 0;  // how often the pause doubled since a stream last stayed open for long
};

}  // namespace host::upstream
