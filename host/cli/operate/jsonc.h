// Turns JSON with comments (JSONC) into JSON. VS Code and Cursor read their files as JSONC.
#pragma once

#include <string>
#include <string_view>

namespace host::cli {

// Replaces comments, commas before a closing bracket, and a byte order mark by spaces. All other
// bytes and all line feeds keep their places, so that a JSON parser reports the line and column of
// the original text. The result is not always valid JSON, so the JSON parser reports the remaining
// faults.
std::string without_comments(std::string_view jsonc);

}  // namespace host::cli
