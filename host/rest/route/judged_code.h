// Writes the audit line about a refused one-time code that was sent over REST.
#pragma once

#include <string_view>

#include "identity/enrolments.h"
#include "rest/route/route.h"

namespace host::rest {

// Writes an audit line, unless the code was accepted. `approval` is the id of the approval request
// to which the code belongs.
void note_judged(store::Audit& audit, const Asked& asked, const identity::JudgedCode& judged,
                 std::string_view principal, std::string_view approval = {});

}  // namespace host::rest
