// Remembers which principals entered a one-time code recently and do not need a new code yet
// (`approval.priv_grace_s`). The data of a Grace are only in memory, so a host asks for a code
// again after a restart. Call the functions of this header on the I/O thread.
#pragma once

#include <chrono>
#include <map>
#include <tuple>

#include "base/clock.h"
#include "tool/call/call.h"

namespace host::approval {

class Grace {
 public:
  // If `lasts` is 0, every call needs a separate one-time code.
  Grace(std::chrono::milliseconds lasts, const Clock& clock) : lasts_(lasts), clock_(clock) {}

  struct Begun {
    SteadyTime before{};  // time until which an earlier code applied
    SteadyTime until{};
  };
  // Records that somebody entered a valid one-time code for the call.
  Begun begin(const tool::Call& call);
  // Undoes begin() for a call that did not run. The function put_back() has no effect if somebody
  // entered a newer code since begin().
  void put_back(const tool::Call& call, const Begun& begun);
  // Returns true if somebody entered a code recently for the same principal, agent and session.
  bool holds(const tool::Call& call);

 private:
  using Whose = std::tuple<std::string, std::string, std::string>;
  static Whose whose(const tool::Call& call);

  const std::chrono::milliseconds lasts_;
  const Clock& clock_;
  std::map<Whose, SteadyTime> until_;  // expired entries are removed when an entry is added
};

}  // namespace host::approval
