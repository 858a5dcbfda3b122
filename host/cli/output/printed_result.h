// What a call gave back, as a terminal shows it.
#pragma once

#include <string>

#include "tool/result.h"

namespace host::cli {

// For people: a text block as its text, any other as its JSON, each on lines of its own.
std::string result_text(const tool::CallResult& result);

// For programs: one line, the result as MCP has it.
std::string result_json(const tool::CallResult& result);

}  // namespace host::cli
