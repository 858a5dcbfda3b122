// A person's answer to a question, with the one-time code where it needs one. The same for whoever
// brings it: the page, REST, the command line.
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

// The record as it is then, whether this decided it, and the rules that "always" stored.
struct Decided {
  store::ApprovalRecord record;
  bool by_this = false;
  std::vector<store::RuleRecord> rules;
};

// One transaction: the answer is stored and the code is used up, or neither. `code` is of the
// call's principal; a no needs none. NotFound: there is no such request. InvalidArgument: "always"
// with changed arguments, or for what no rule allows; changed arguments that the tool's schema
// refuses. Denied: the code is missing, or not valid; that alone counts as a failed code.
// `judged`: gets what came of the code.
Result<Decided> decide(store::ApprovalStore& approvals, store::TotpStore& codes,
                       std::string_view id, const store::ApprovalDecision& decision,
                       std::string_view code, WallTime now, identity::JudgedCode* judged = nullptr);

}  // namespace host::approval
