// Rewrites a regular expression of ECMA-262 (with the `u` flag) into PCRE2's words.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::json::schema {

// What only PCRE2 has (`(?i)`, `\Q`, possessive quantifiers, comments) is refused. More lenient
// than the `u` flag in one thing: punctuation may be escaped without need.
Result<std::string> translate_ecma_regex(std::string_view pattern);

}  // namespace host::json::schema
