// Names of Unicode properties: ECMA-262 has long forms of some of them, PCRE2 only the short forms.
#pragma once

#include <string>
#include <string_view>

namespace host::json::schema {

// PCRE2's name for the text in `\p{...}`; empty if ECMA-262 has no such property.
std::string pcre2_property(std::string_view name);

}  // namespace host::json::schema
