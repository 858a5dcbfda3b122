#include "identity/code_audit.h"

namespace host::identity {

void note_refused_code(store::Audit& audit, const JudgedCode& judged, const CodeGiver& giver) {
  using store::AuditEvent;
  if (!is_refused(judged)) return;
  audit.note(AuditEvent::Code, {{"principal", giver.principal},
                                {"by", giver.by},
                                {"address", giver.address},
                                {"session", giver.session},
                                {"call", giver.call},
                                {"approval", giver.approval},
                                {"outcome", to_string(judged.verdict)}});
  if (!judged.locks_until) return;
  audit.note(AuditEvent::Lockout, {{"principal", giver.principal},
                                   {"by", giver.by},
                                   {"address", giver.address},
                                   {"until", to_rfc3339(*judged.locks_until)}});
}

}  // namespace host::identity
