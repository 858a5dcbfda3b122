// A clock that tests can replace, so that they need not wait. Deadlines use the steady time. Users
// see the wall time.
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

// The machine's clocks. Any thread can call this function.
const Clock& system_clock();

// For code whose tests need no fake clock.
inline SteadyTime steady_now() {
  return std::chrono::steady_clock::now();
}

// Writes a time as RFC 3339 in UTC with milliseconds: 2026-07-28T09:30:00.000Z
std::string to_rfc3339(WallTime time);

}  // namespace host
