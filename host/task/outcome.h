// How a record ends: its result as an MCP CallToolResult, its code, and until when it is kept.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "tool/record.h"
#include "tool/result.h"

namespace host::task {

// A CallToolResult as JSON object text.
std::string text_of(const tool::CallResult& result);

// The record at its end. `code` is empty if the call was successful.
tool::Record ended(const tool::Record& record, std::string_view code, std::string result,
                   WallTime expires);
// The same, with an error result that has these words for the model.
tool::Record ended_with_words(const tool::Record& record, std::string_view code,
                              std::string_view words, WallTime expires);

}  // namespace host::task
