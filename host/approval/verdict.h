// The decision about an approval request, with a one-time code if one is needed. The console, REST
// and the command line all decide here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/approval_store.h"
#include "store/totp_store.h"

namespace host::approval {

// The record afterwards, whether this call decided it, and the rules that "always" stored.
struct Decided {
  store::ApprovalRecord record;
  bool by_this = false;
  std::vector<store::RuleRecord> rules;
};

// Stores the decision and uses up the code, in one transaction. `code` belongs to the call's
// principal; a rejection needs none.
//   NotFound         there is no such request
//   InvalidArgument  "always" with changed arguments, or for a call that no rule can allow; changed
//                    arguments that are not valid against the tool's schema
//   Denied           the code is missing or not valid; only this counts as a failed code
Result<Decided> decide(store::ApprovalStore& approvals, store::TotpStore& codes,
                       std::string_view id, const store::ApprovalDecision& decision,
                       std::string_view code, WallTime now);

}  // namespace host::approval
