// If a reviewer changed the arguments of a call, the call's result names the changed members. The
// result does not contain the new values, because the reviewer can have entered data that the
// caller must not see.
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

// Stores the names of the arguments that a reviewer changed, for a call whose tool a client
// executes (tool/call/edits.h).
void keep_edits(tool::Call& call, const std::vector<std::string>& changed);
std::vector<std::string> kept_edits(const tool::Call& call);

}  // namespace host::router
