// The audit's line about a refused one-time code that came over REST.
#pragma once

#include <string_view>

#include "identity/enrolments.h"
#include "rest/route/route.h"

namespace host::rest {

// `approval`: the request that the code was for. Nothing is written for an accepted code.
void note_judged(store::Audit& audit, const Asked& asked, const identity::JudgedCode& judged,
                 std::string_view principal, std::string_view approval = {});

}  // namespace host::rest
