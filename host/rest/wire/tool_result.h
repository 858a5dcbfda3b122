// Writes the outcome of a recorded call as a `tool_result` block, which a harness passes to its
// model unchanged.
#pragma once

#include <string>

#include "tool/call/record.h"

namespace host::rest {

// The recorded call must have ended. Returns
// {"type":"tool_result","tool_use_id":...,"content":[...], "is_error":...}. The content has blocks
// of the types `text` and `image` only. If the harness gave no tool_use_id, the block has the id of
// the record instead.
std::string tool_result_json(const tool::Record& record);

}  // namespace host::rest
