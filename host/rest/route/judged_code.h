// Writes the audit line about a refused one-time code that was sent over REST.
#pragma once

#include <string_view>

#include "identity/enrolments.h"
#include "rest/route/route.h"

namespace host::rest {

// `approval` is the id of the approval request to which the code belongs. If the code was accepted,
// the function writes no line.
void note_judged(store::Audit& audit, const Asked& asked, const identity::JudgedCode& judged,
                 std::string_view principal, std::string_view approval = {});

}  // namespace host::rest
