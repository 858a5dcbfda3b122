// Writes the outcome of a recorded call as a `tool_result` block, which a harness passes to its
// model unchanged.
#pragma once

#include <string>

#include "tool/call/record.h"

namespace host::rest {

// The recorded call must have ended. Returns
// {"type":"tool_result","tool_use_id":...,"content":[...], "is_error":...}. The content has blocks
// of the types `text` and `image` only. If the client of the call gave no tool_use_id, tool_use_id
// is the id of the call's record.
std::string tool_result_json(const tool::Record& record);

}  // namespace host::rest
