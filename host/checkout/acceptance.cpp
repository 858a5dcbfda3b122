#include "checkout/acceptance.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace host::checkout {

bool was_accepted(const upstream::Pins& here, const upstream::Pins& stored,
                  const Acceptance& wanted) {
  if (here.digest_held(wanted.skill).empty() ||
      !here.digest_fault(wanted.skill, wanted.digest, {}).empty())
    return false;
  const std::vector<store::PinRecord> now = stored.records();
  for (const store::PinRecord& held : here.held()) {
    if (!wanted.skill.empty() && held.tool != wanted.skill) continue;
    const bool is_in = std::any_of(now.begin(), now.end(), [&held](const store::PinRecord& one) {
      return one.tool == held.tool && one.accepted == held.held;
    });
    if (!is_in) return false;
  }
  return true;
}

Result<std::vector<store::PinRecord>> accept_waiting(upstream::Pins& pins, const Acceptance& wanted,
                                                     const std::string& repository,
                                                     const std::string& diff_command) {
  if (pins.digest_held(wanted.skill).empty()) {
    return Error{ErrorKind::NotFound,
                 wanted.skill.empty()
                     ? "no changed skill of \"" + repository + "\" waits"
                     : "no changed skill \"" + wanted.skill + "\" of \"" + repository + "\" waits"};
  }
  std::string fault = pins.digest_fault(wanted.skill, wanted.digest, diff_command);
  if (!fault.empty()) return Error{ErrorKind::InvalidArgument, std::move(fault)};
  return pins.accept(wanted.skill, wanted.digest, wanted.by, system_clock().wall());
}

}  // namespace host::checkout
