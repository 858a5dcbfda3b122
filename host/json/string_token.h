// Decodes a JSON string with escapes.
#pragma once

#include <string>
#include <string_view>

namespace host::json {

// `at` must be behind the opening quote. Appends the decoded text up to the closing quote to
// `decoded`, and moves `at` behind the closing quote. Otherwise returns the fault and leaves `at`
// on it. At the end of the text it reports that the text ended.
std::string_view read_string_token(const char*& at, const char* end, std::string& decoded);

}  // namespace host::json
