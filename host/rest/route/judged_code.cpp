#include "rest/route/judged_code.h"

#include <string>

#include "identity/code_audit.h"

namespace host::rest {

void note_judged(store::Audit& audit, const Asked& asked, const identity::JudgedCode& judged,
                 std::string_view principal, std::string_view approval) {
  const std::string by = way_of(asked);
  const std::string address(asked.http().remote());
  identity::CodeGiver giver;
  giver.principal = principal;
  giver.by = by;
  giver.address = address;
  giver.approval = approval;
  identity::note_refused_code(audit, judged, giver);
}

}  // namespace host::rest
