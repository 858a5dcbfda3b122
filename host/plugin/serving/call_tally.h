// Counts the calls of a build, and the calls that failed because of the build, so that two builds
// can be compared. The functions of this header are called on the I/O thread.
#pragma once

#include <cstdint>

#include "tool/call/invocation.h"

namespace host::plugin {

class CallTally {
 public:
  // True if the call failed because of the build: the call ended with an internal error, broke the
  // ABI's rules, exceeded its timeout, or was lost with its worker. Results with isError, refused
  // arguments, denials, busy results and cancelled calls are not faults of the build.
  static bool is_fault(const tool::Invocation& call, const Result<tool::CallResult>& end,
                       SteadyTime now);

  void add(bool fault);

  std::uint32_t calls() const { return calls_; }
  std::uint32_t faults() const { return faults_; }

  // True if this build is far worse than the previous build. The build must have at least `least`
  // faults, and at least a quarter of its calls must be faults. The build's share of faults must be
  // at least four times the share of the previous build. Returns false if the previous build ran
  // less than 10 calls.
  bool far_worse_than(const CallTally& before, std::uint32_t least) const;

 private:
  std::uint32_t calls_ = 0;
  std::uint32_t faults_ = 0;
};

}  // namespace host::plugin
