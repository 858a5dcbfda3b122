// A Clock is a clock that tests can replace, so that tests need not wait. The host uses the steady
// time for deadlines, and shows the wall time to users.
#pragma once

#include <chrono>
#include <string>

namespace host {

using SteadyTime = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::system_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyTime steady() const = 0;
  virtual WallTime wall() const = 0;
};

// Returns the clocks of this machine. Any thread can call system_clock().
const Clock& system_clock();

// Use steady_now() in code whose tests need no fake clock.
inline SteadyTime steady_now() {
  return std::chrono::steady_clock::now();
}

// Writes a time as RFC 3339 in UTC with milliseconds: 2026-07-28T09:30:00.000Z
std::string to_rfc3339(WallTime time);

}  // namespace host
