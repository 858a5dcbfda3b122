// Decodes a JSON string with escapes.
#pragma once

#include <string>
#include <string_view>

namespace host::json {

// What becomes of half of a surrogate pair in a \u escape: Refuse makes it a fault, Replace makes
// it U+FFFD.
enum class HalfPairs { Refuse, Replace };

// `at` must be directly after the opening quote. Appends the decoded text up to the closing quote
// to `decoded`, and moves `at` after the closing quote. Returns an empty text on success. If a
// string is faulty, returns the fault, and `at` points to the faulty byte. If the text ends before
// the closing quote, the text of the fault says so.
std::string_view read_string_token(const char*& at, const char* end, std::string& decoded,
                                   HalfPairs halves = HalfPairs::Refuse);

}  // namespace host::json
