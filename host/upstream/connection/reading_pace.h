// Pauses the reading from one upstream: after too many messages, and while a JobThread parses long
// messages. The functions of ReadingPace are called on the I/O thread.
#pragma once

#include <cstddef>
#include <memory>

#include "base/clock.h"
#include "upstream/connection/flood.h"

namespace host::upstream {

class Transport;

class ReadingPace {
 public:
  // `transport` must outlive the ReadingPace.
  ReadingPace(Transport& transport, double messages_per_second)
      : transport_(transport), flood_(messages_per_second) {}
  ReadingPace(const ReadingPace&) = delete;
  ReadingPace& operator=(const ReadingPace&) = delete;
  ~ReadingPace() { *alive_ = false; }

  // Counts one message, see Flood::take().
  void count();
  // The host reads nothing more from the upstream while the pointer from hold() or a copy of it
  // exists, so that only few long messages are in memory.
  std::shared_ptr<const void> hold();
  bool is_held() const { return held_ > 0; }

 private:
  void pause();

  Transport& transport_;
  Flood flood_;
  SteadyTime flood_until_{};  // nothing is read before this time
  std::size_t held_ = 0;      // number of pointers that hold() has returned, copies not counted
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace host::upstream
