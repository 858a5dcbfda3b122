// Notices that the machine was suspended (to memory or to disk). During a suspension, the steady
// clock stands still, and servers and routers can forget the machine's connections without notice.
#pragma once

#include <chrono>

namespace host {

// Only one thread may use a SuspensionWatch.
class SuspensionWatch {
 public:
  SuspensionWatch();

  // Returns true if the machine was suspended for at least a second since the last call, or since
  // the SuspensionWatch was made. Each call of was_suspended() reads two clocks.
  bool was_suspended();

 private:
  std::chrono::nanoseconds suspended_;  // total time of all suspensions since the machine started
};

}  // namespace host
