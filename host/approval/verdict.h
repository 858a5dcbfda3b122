// A person's answer to a question, with the one-time code where it needs one. The same for whoever
// brings it: the page, REST, the command line.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "store/approval_store.h"
#include "store/totp_store.h"

namespace host::approval {

// The record as it is then, and whether this decided it.
struct Decided {
  store::ApprovalRecord record;
  bool by_this = false;
};

// `code` is of the call's principal; a no needs none. Denied: it does not hold, and nothing is
// decided. A code that holds is used up, before the answer is stored: a host that dies
// between the two leaves the question open, and the next code answers it.
Result<Decided> decide(store::ApprovalStore& approvals, store::TotpStore& codes,
                       std::string_view id, const store::ApprovalDecision& decision,
                       std::string_view code, WallTime now);

}  // namespace host::approval
