// The key of a call says which approval requests are about this call.
#pragma once

#include <string>

#include "store/part/approval_store.h"
#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::approval {

// Returns the text of the arguments that the tool gets.
std::string arguments_of(const tool::Call& call);

// Returns the text by which the host compares the arguments of calls. `arguments` is the text of
// the call's arguments. The order of the members in the arguments makes no difference. Calls with
// equal texts of canonical_of() have the same approval request.
std::string canonical_of(const tool::Call& call, const std::string& arguments);

// `arguments` is the text of the call's arguments. `build` identifies the builds for which an
// approval is valid.
store::ApprovalKey key_for(const tool::Call& call, const tool::Tool& tool, const std::string& build,
                           const std::string& arguments);

}  // namespace host::approval
