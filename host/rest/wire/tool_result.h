// The outcome of a recorded call as a `tool_result` block, which a harness passes to its model
// unchanged.
#pragma once

#include <string>

#include "tool/call/record.h"

namespace host::rest {

// Only for a call that has ended: {"type":"tool_result","tool_use_id":...,"content":[...],
// "is_error":...}. The content has blocks of the types `text` and `image` only. Without a
// tool_use_id of the harness, the block has the id of the record.
std::string tool_result_json(const tool::Record& record);

}  // namespace host::rest
