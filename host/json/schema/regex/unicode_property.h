// Translates names of Unicode properties, because ECMA-262 has long forms of some names and PCRE2
// has only the short forms.
#pragma once

#include <string>
#include <string_view>

namespace host::json::schema {

// Returns PCRE2's name for the text in `\p{...}`. The name is empty if ECMA-262 has no such
// property.
std::string pcre2_property(std::string_view name);

}  // namespace host::json::schema
