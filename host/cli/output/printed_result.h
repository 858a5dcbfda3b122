// Writes the result of a call for a terminal.
#pragma once

#include <string>

#include "tool/call/result.h"

namespace host::cli {

// Returns the result for users: text blocks as text, and other blocks as JSON. Each block of the
// result is on separate lines.
std::string result_text(const tool::CallResult& result);

// Returns the result for programs: the MCP CallToolResult as JSON on one line.
std::string result_json(const tool::CallResult& result);

}  // namespace host::cli
