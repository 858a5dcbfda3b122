// Writes enrolments as JSON, for REST and `toolpost totp list --json`. The JSON contains no
// secrets.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/part/totp_store.h"

namespace host::identity {

// Returns the state of an enrolment as "to be confirmed", "locked" or "valid".
std::string_view state_of(const store::TotpRecord& record, WallTime now);

std::string as_json(const store::TotpRecord& record, WallTime now);

}  // namespace host::identity
