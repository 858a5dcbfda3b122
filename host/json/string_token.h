// The text of a JSON string that holds escapes.
#pragma once

#include <string>
#include <string_view>

namespace host::json {

// Appends to `decoded` what stands between `at`, behind the opening quote, and the closing one, and
// moves `at` behind that. Otherwise gives what is wrong there, with `at` on it; at the text's end
// that it ends.
std::string_view read_string_token(const char*& at, const char* end, std::string& decoded);

}  // namespace host::json
