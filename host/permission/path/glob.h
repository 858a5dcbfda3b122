// Wildcards. Never worse than the product of both lengths, whatever the pattern.
#pragma once

#include <string_view>

namespace host::permission {

enum class LeadingDot { Plain, Explicit };  // Explicit: `*` and `?` do not match a first dot

// `*` any characters ('/' too), `?` one, `[a-z]` and `[!a-z]` one of a set, `\x` is x itself.
bool glob_match(std::string_view pattern, std::string_view text,
                LeadingDot dot = LeadingDot::Plain);

bool has_wildcard(std::string_view pattern);

}  // namespace host::permission
