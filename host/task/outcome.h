// Makes the final state of a record: its result as an MCP CallToolResult, its code, and the time
// until which the host keeps it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "task/room.h"
#include "tool/call/call.h"
#include "tool/call/record.h"
#include "tool/call/result.h"

namespace host::task {

// kExpired is a value of Record::code: the record expired before its call ended.
inline constexpr std::string_view kExpired = "expired";

// Returns true if the outcome `code` comes from the tool itself, for example kToolError. Returns
// false if the call ended without an answer of the tool, for example because nobody picked the call
// up.
bool is_tools_own(std::string_view code);

// Returns true if the call has run or may still run. A call that has run or may still run keeps its
// idempotency key. If a call certainly has not run, other calls can use its idempotency key again.
bool has_its_key(const tool::Record& record);

// Writes a CallToolResult as the text of a JSON object, or reads a CallToolResult from the text of
// a JSON object.
std::string text_of(const tool::CallResult& result);
tool::CallResult result_in(const std::string& text);

// Returns a copy of the record in its final state. `code` is empty if the call was successful.
tool::Record ended(const tool::Record& record, std::string_view code, std::string result,
                   WallTime expires);
// Returns the record in its final state, with an error result that has the text `words` for the
// model.
tool::Record ended_with_words(const tool::Record& record, std::string_view code,
                              std::string_view words, WallTime expires);
// Returns the final record of a call that the call pipeline ended with `result`.
tool::Record ended_by_pipeline(const tool::Record& record, const tool::Call& call,
                               const Result<tool::CallResult>& result, Room& room,
                               WallTime expires);

}  // namespace host::task
