// What a caller is told if a reviewer changed the arguments of its call: which members, not their
// values. A reviewer may have written what the caller is not to see.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

// The names of the members that differ. Both are JSON object texts.
std::vector<std::string> changed_members(std::string_view before, std::string_view after);

// Adds a block of text and `io.toolpost/edited` to the result, unless `changed` is empty.
tool::CallResult with_edits(tool::CallResult result, const std::vector<std::string>& changed);

// Keeps the names in a call that is handed over to a caller: see tool/call/edits.h.
void keep_edits(tool::Call& call, const std::vector<std::string>& changed);
std::vector<std::string> kept_edits(const tool::Call& call);

}  // namespace host::router
