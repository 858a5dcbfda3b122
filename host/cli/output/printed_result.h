// Writes the result of a call for a terminal.
#pragma once

#include <string>

#include "tool/call/result.h"

namespace host::cli {

// For users: text blocks as text, other blocks as JSON, each on separate lines.
std::string result_text(const tool::CallResult& result);

// For programs: one line, the result as in MCP.
std::string result_json(const tool::CallResult& result);

}  // namespace host::cli
