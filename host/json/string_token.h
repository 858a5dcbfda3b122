// Decodes a JSON string with escapes.
#pragma once

#include <string>
#include <string_view>

namespace host::json {

// Appends the decoded text between `at`, which is behind the opening quote, and the closing quote
// to `decoded`, and moves `at` behind that. Otherwise returns the fault, with `at` on it. At the
// end of the text it reports that the text ended.
std::string_view read_string_token(const char*& at, const char* end, std::string& decoded);

}  // namespace host::json
