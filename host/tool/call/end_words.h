// Writes the texts with which the host ends a call that nobody waits for, or that the call's client
// did not end. A model reads the texts of end_words().
#pragma once

#include <string>
#include <string_view>

#include "tool/call/call.h"

namespace host::tool {

// The audit outcome of a call that has asked its client and continues after the answer. It
// continues with a later request or after the next start of the host.
inline constexpr const char* kAsked = "asked";

enum class EndedBy { Operator, Credential, Session };

// `may_have_begun` is false if the tool of the call certainly did not run.
std::string end_words(EndedBy by, std::string_view tool, bool may_have_begun);

// Returns "did not run", or "did not continue" if the tool began the call in an earlier round.
std::string_view did_not_run(const Call& call);

}  // namespace host::tool
