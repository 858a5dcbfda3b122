// A clock whose time passes only when a test calls advance().
#pragma once

#include "base/clock.h"

namespace host::test {

class ManualClock final : public Clock {
 public:
  SteadyTime steady() const override { return steady_; }
  WallTime wall() const override { return WallTime(steady_.time_since_epoch()); }
  void advance(std::chrono::milliseconds by) { steady_ += by; }

 private:
  SteadyTime steady_{std::chrono::hours(1)};
};

}  // namespace host::test
