// Counts the calls of a build, and the calls that failed because of the build, so that two builds
// can be compared. The functions of this header are called on the I/O thread.
#pragma once

#include <cstdint>

#include "tool/call/invocation.h"

namespace host::plugin {

class CallTally {
 public:
  // True if the call failed because of the build. The build causes the failure of a call that ends
  // with an internal error, breaks the ABI's rules, exceeds its timeout, or is lost with its
  // worker. False for results with isError, refused arguments, denials, busy results and cancelled
  // calls, because the build does not cause them.
  static bool is_fault(const tool::Invocation& call, const Result<tool::CallResult>& end,
                       SteadyTime now);

  void add(bool fault);

  std::uint32_t calls() const { return calls_; }
  std::uint32_t faults() const { return faults_; }

  // True if this build is far worse than the previous build. The build must have at least `least`
  // faults, and at least a quarter of its calls must be faults. The share of faults must also be at
  // least four times the share of the previous build. The result is false if the previous build ran
  // less than 10 calls.
  bool far_worse_than(const CallTally& before, std::uint32_t least) const;

 private:
  std::uint32_t calls_ = 0;
  std::uint32_t faults_ = 0;
};

}  // namespace host::plugin
