#include "approval/verdict.h"

#include "identity/totp.h"

namespace host::approval {

Result<Decided> decide(store::ApprovalStore& approvals, store::TotpStore& codes,
                       std::string_view id, const store::ApprovalDecision& decision,
                       std::string_view code, WallTime now) {
  Decided decided;
  HOST_TRY_ASSIGN(decided.record, approvals.find(id));
  const bool open = decided.record.state == store::ApprovalState::Pending;
  if (open && decision.approved && decided.record.needs_code) {
    if (code.empty()) {
      return Error{ErrorKind::Denied,
                   "this call needs a one-time code of \"" + decided.record.key.principal + "\""};
    }
    HOST_TRY(identity::use_code(codes, decided.record.key.principal, code, now));
  }
  HOST_TRY_ASSIGN(decided.by_this, approvals.decide(id, decision));
  HOST_TRY_ASSIGN(decided.record, approvals.find(id));
  return decided;
}

}  // namespace host::approval
