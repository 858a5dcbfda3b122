// The results of calls that no person has allowed, or that nobody has allowed yet. The texts are
// for the model that made the call.
#pragma once

#include <string>

#include "protocol/elicitation.h"
#include "store/part/approval_store.h"
#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::approval {

// Returns the result of a call that the client's user denied or dismissed.
tool::CallResult denied_by_person(const tool::Call& call, const tool::Tool& tool,
                                  protocol::ElicitAnswer::Act act);
// Returns the result of a call whose approval request was rejected, has expired or was withdrawn.
tool::CallResult rejected(const tool::Call& call, const tool::Tool& tool,
                          const store::ApprovalRecord& record);
// Returns the result of a call that the tool had begun before a reviewer changed its arguments.
tool::CallResult edited_too_late(const tool::Call& call, const tool::Tool& tool);
// Returns the reason for an approval as the client may see it. `reason` can quote the arguments,
// and the client must not see arguments that a reviewer has changed.
std::string reason_for_client(const tool::Call& call, const std::string& reason);
// Returns the result of a call whose approval request still waits for a person.
tool::CallResult still_pending(const tool::Call& call, const tool::Tool& tool,
                               const store::ApprovalRecord& record);
// Returns the part of a text that says how a client gets the decision about `record`.
std::string how_to_hear(const store::ApprovalRecord& record);

// Returns true if the call ends because a reviewer or the client's user rejected it, or because a
// reviewer changed its arguments too late. Such a call cannot continue with its requestState.
bool is_denied_by_person(const tool::Call& call);

}  // namespace host::approval
