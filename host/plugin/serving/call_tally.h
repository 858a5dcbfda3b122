// How the calls of one build end: how many there were of late, and how many failed by the build's
// own fault, so that two builds can be compared. I/O thread only.
#pragma once

#include <cstdint>

#include "tool/invocation.h"

namespace host::plugin {

class CallTally {
 public:
  // By its fault: it ended with an internal error, broke the ABI's rules, took longer than its
  // time, or was lost with its worker. Not: an answer with isError, arguments that it refused, what
  // it was denied, or busy with, a call that was cancelled. Those are of callers and of the world
  // around.
  static bool is_fault(const tool::Invocation& call, const Result<tool::CallResult>& end,
                       SteadyTime now);

  void add(bool fault);

  std::uint32_t calls() const { return calls_; }
  std::uint32_t faults() const { return faults_; }

  // Far worse than the build before: at least `least` faults, a quarter of its calls and four times
  // that build's share. Where the one before had less than 10 calls nothing can be said of it.
  bool far_worse_than(const CallTally& before, std::uint32_t least) const;

 private:
  std::uint32_t calls_ = 0;
  std::uint32_t faults_ = 0;
};

}  // namespace host::plugin
