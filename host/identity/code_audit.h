// The audit's lines for one-time codes that were refused, and for the lock that too many of them
// begin. The same for whoever brings a code: a call, REST, the console, the command line. Never the
// code itself. I/O thread only.
#pragma once

#include <string_view>

#include "identity/totp.h"
#include "store/audit/audit.h"

namespace host::identity {

// Who gave a code, and from where. What is not known is empty.
struct CodeGiver {
  std::string_view principal;  // whose code it should have been
  std::string_view by;         // who brought it
  std::string_view address;
  std::string_view session;
  std::string_view call;
  std::string_view approval;
};

void note_refused_code(store::Audit& audit, const JudgedCode& judged, const CodeGiver& giver);

}  // namespace host::identity
