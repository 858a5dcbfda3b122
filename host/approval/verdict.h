// The decision about an approval request, with a one-time code if one is needed. The console, REST
// and the command line all decide here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "identity/totp.h"
#include "store/approval_store.h"
#include "store/totp_store.h"

namespace host::approval {

// The record afterwards, whether this call decided it, and the rules that "always" stored.
struct Decided {
  store::ApprovalRecord record;
  bool by_this = false;
  std::vector<store::RuleRecord> rules;
};

// One transaction: the answer is stored and the code is used up, or neither. `code` is of the
// call's principal; a no needs none. NotFound: there is no such request. InvalidArgument: "always"
// with changed arguments, or for what no rule allows; changed arguments that the tool's schema
// refuses; an approval of a question, or an answer that does not fit. Denied: the code is missing,
// or not valid; that alone counts as a failed code. `judged`: gets what came of the code.
Result<Decided> decide(store::ApprovalStore& approvals, store::TotpStore& codes,
                       std::string_view id, const store::ApprovalDecision& decision,
                       std::string_view code, WallTime now, identity::JudgedCode* judged = nullptr);

}  // namespace host::approval
