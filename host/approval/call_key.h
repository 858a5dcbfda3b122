// The key of a call says which approval requests are about this call. The functions of this header
// have no side effects.
#pragma once

#include <string>

#include "store/part/approval_store.h"
#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::approval {

// Returns the text of the arguments that the tool gets.
std::string arguments_of(const tool::Call& call);

// Returns the text by which the host compares the arguments of calls. `arguments` is the text of
// the call's arguments. Clients may repeat a call with the members of its arguments in a different
// order. Calls whose texts are equal have the same approval request.
std::string canonical_of(const tool::Call& call, const std::string& arguments);

// `arguments` is the text of the call's arguments. `build` identifies the builds for which an
// approval is valid.
store::ApprovalKey key_for(const tool::Call& call, const tool::Tool& tool, const std::string& build,
                           const std::string& arguments);

// The reason why the call may run: an approval, a one-time code, or both.
enum class PassedBy { Approval, Code, CodeAndApproval };

// Returns the mark of an approved call (tool::kPassedKey). The mark is valid only for the same
// call, and only for the same PassedBy value. For example, the mark of a call with only a one-time
// code becomes invalid if a reviewer must now also approve the call.
std::string mark_of(const store::ApprovalKey& key, PassedBy by);

}  // namespace host::approval
