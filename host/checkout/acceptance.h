// Accepts changed skills that wait for the operator.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/part/pin_store.h"
#include "upstream/pins/pins.h"

namespace host::checkout {

struct Acceptance {
  std::string skill;   // the skill's folder; empty: all waiting skills
  std::string digest;  // the digest of the change that the reviewer saw
  std::string by;
};

// Returns true if another host with the same store has accepted the change that waits at this host.
// `here` has the pins of this host, and `stored` has the pins in the store.
bool was_accepted(const upstream::Pins& here, const upstream::Pins& stored,
                  const Acceptance& wanted);

// Accepts the change in `pins`, and returns the changed records. `repository` (the name) and
// `diff_command` (the command that shows the changes) appear in the messages of Errors. The
// function returns the same Errors as Checkout::accept().
Result<std::vector<store::PinRecord>> accept_waiting(upstream::Pins& pins, const Acceptance& wanted,
                                                     const std::string& repository,
                                                     const std::string& diff_command);

}  // namespace host::checkout
