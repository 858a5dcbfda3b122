// If a reviewer changed the arguments of a call, the call's result names the changed members. The
// result does not contain the new values, because the reviewer can have entered data that the
// caller must not see. If the tool asks the client a question, the call continues with the
// arguments with which the tool ran, although a client sends its own arguments again with its
// answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

// Returns the names of the members that differ between the two arguments, which are JSON object
// texts.
std::vector<std::string> changed_members(std::string_view before, std::string_view after);

// Adds a block of text and the `_meta` member `io.toolpost/edited` to the result, unless `changed`
// is empty.
tool::CallResult with_edits(tool::CallResult result, const std::vector<std::string>& changed);

// Keeps the names of the arguments that a reviewer changed, together with the names that the call
// has already (tool/call/edits.h).
void keep_edits(tool::Call& call, const std::vector<std::string>& changed);
std::vector<std::string> kept_edits(const tool::Call& call);

// Keeps the arguments of a run that asks the client a question, unless they are the arguments that
// the client sent. A reviewer or an interceptor can have changed them.
void keep_run_arguments(tool::Call& call);
// Replaces the arguments that the client has sent again by the arguments of the run that asked.
// Returns false if the host keeps none.
bool take_run_arguments(tool::Call& call);
// Puts the arguments that the client sent back, if interceptors have changed the arguments of a
// call that the tool has begun in an earlier round. If the host keeps no arguments of that round,
// the tool ran with the client's own arguments.
void undo_late_change(tool::Call& call);

// Returns the result of a call that ends because the arguments of the reviewer are not valid, and
// sets the call's outcome.
tool::CallResult invalid_edits(tool::Call& call);

}  // namespace host::router
