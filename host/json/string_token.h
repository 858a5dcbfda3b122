// Decodes a JSON string with escapes.
#pragma once

#include <string>
#include <string_view>

namespace host::json {

// Says how half of a surrogate pair in a \u escape is treated. With Refuse, half of a surrogate
// pair is a fault. With Replace, half of a surrogate pair becomes U+FFFD.
enum class HalfPairs { Refuse, Replace };

// `at` must be directly after the opening quote. Appends the decoded text up to the closing quote
// to `decoded`, and moves `at` after the closing quote. Returns an empty text on success. If a
// string is faulty, the function returns the text of the fault, and `at` points to the faulty byte.
// If the text ends before the closing quote, the text of the fault says so.
std::string_view read_string_token(const char*& at, const char* end, std::string& decoded,
                                   HalfPairs halves = HalfPairs::Refuse);

}  // namespace host::json
