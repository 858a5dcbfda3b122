// Turns JSON with comments (JSONC) into JSON. VS Code and Cursor read their files as JSONC.
#pragma once

#include <string>
#include <string_view>

namespace host::cli {

// Replaces comments, commas before a closing bracket, and a byte order mark by spaces. The places
// of values do not change, so a JSON parser reports the line and column of the original text. Other
// faults in `jsonc` remain, so the result is not always valid JSON.
std::string without_comments(std::string_view jsonc);

}  // namespace host::cli
