// Whose person gave a one-time code a moment ago, and need not give another yet
// (`approval.priv_grace_s`). In memory alone: a host that starts anew asks again. I/O thread only.
#pragma once

#include <chrono>
#include <map>
#include <tuple>

#include "base/clock.h"
#include "tool/call.h"

namespace host::approval {

class Grace {
 public:
  // 0: there is none, each call needs its code.
  Grace(std::chrono::milliseconds lasts, const Clock& clock) : lasts_(lasts), clock_(clock) {}

  // A code was given for this call.
  void begin(const tool::Call& call);
  // For the same principal, as the same agent, in the same session.
  bool holds(const tool::Call& call);

 private:
  using Whose = std::tuple<std::string, std::string, std::string>;
  static Whose whose(const tool::Call& call);

  const std::chrono::milliseconds lasts_;
  const Clock& clock_;
  std::map<Whose, SteadyTime> until_;  // those that are over go when another begins
};

}  // namespace host::approval
