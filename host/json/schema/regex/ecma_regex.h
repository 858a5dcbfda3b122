// Translates a regular expression of ECMA-262 (with the `u` flag) to PCRE2.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::json::schema {

// translate_ecma_regex() refuses syntax that only PCRE2 has (`(?i)`, `\Q`, possessive quantifiers,
// comments). translate_ecma_regex() allows unnecessary escapes of punctuation, although ECMA-262
// refuses them with the `u` flag.
Result<std::string> translate_ecma_regex(std::string_view pattern);

}  // namespace host::json::schema
