// Writes audit lines for refused one-time codes, and for the lock after too many refused codes. The
// audit lines are the same, whether a code came in a call, over REST, in the console or on the
// command line. No audit line contains a one-time code. The functions of this header are called on
// the I/O thread.
#pragma once

#include <string_view>

#include "identity/totp.h"
#include "store/audit/audit.h"

namespace host::identity {

// A CodeGiver says who sent a one-time code, and from where. Unknown members are empty.
struct CodeGiver {
  std::string_view principal;  // the principal to whom the code belongs
  std::string_view by;         // who sent the code
  std::string_view address;
  std::string_view session;
  std::string_view call;
  std::string_view approval;
};

void note_refused_code(store::Audit& audit, const JudgedCode& judged, const CodeGiver& giver);

}  // namespace host::identity
