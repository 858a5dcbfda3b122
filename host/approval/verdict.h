// Stores a reviewer's decision about an approval request, and checks the one-time code if the
// request needs one. The console, REST and the command line all use the function decide().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "identity/totp.h"
#include "store/part/approval_store.h"
#include "store/part/totp_store.h"

namespace host::approval {

// The outcome of decide(): the record after the decision, whether this call of decide() made it,
// and the rules that "always" stored.
struct Decided {
  store::ApprovalRecord record;
  bool by_this = false;
  std::vector<store::RuleRecord> rules;
};

// Stores the reviewer's decision and uses up the one-time code, in one transaction. `code` is a
// one-time code of the call's principal. The rejection of a call needs no code. The Error NotFound
// means that there is no approval request with this id. The Error InvalidArgument means that the
// reviewer chose "always" with changed arguments, or for a call that no rule can allow.
// InvalidArgument is also the Error if the changed arguments are not valid against the tool's
// schema. InvalidArgument is also the Error if the answer to a question is missing or not allowed.
// The Error Denied means that the one-time code is missing or not valid. Only a wrong one-time
// code, and not a missing one, counts as a failed attempt. `judged` receives the result of the
// code's check.
Result<Decided> decide(store::ApprovalStore& approvals, store::TotpStore& codes,
                       std::string_view id, const store::ApprovalDecision& decision,
                       std::string_view code, WallTime now, identity::JudgedCode* judged = nullptr);

}  // namespace host::approval
