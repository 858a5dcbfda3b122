// Remembers which principals entered a one-time code recently and need no further one yet
// (`approval.priv_grace_s`). It is kept in memory only, so a restarted host asks again. I/O thread
// only.
#pragma once

#include <chrono>
#include <map>
#include <tuple>

#include "base/clock.h"
#include "tool/call.h"

namespace host::approval {

class Grace {
 public:
  // `lasts` 0: every call needs a code of its own.
  Grace(std::chrono::milliseconds lasts, const Clock& clock) : lasts_(lasts), clock_(clock) {}

  // A code was given for this call. Returns the time until which an earlier one applied.
  SteadyTime begin(const tool::Call& call);
  // The call did not run, and its code is good again: the time of begin() applies again.
  void put_back(const tool::Call& call, SteadyTime until);
  // True if a code was given recently for the same principal, agent and session.
  bool holds(const tool::Call& call);

 private:
  using Whose = std::tuple<std::string, std::string, std::string>;
  static Whose whose(const tool::Call& call);

  const std::chrono::milliseconds lasts_;
  const Clock& clock_;
  std::map<Whose, SteadyTime> until_;  // expired entries are removed when one is added
};

}  // namespace host::approval
