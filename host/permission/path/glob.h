// Matches texts against wildcards. The time of a match is at most proportional to the length of the
// pattern times the length of the text.
#pragma once

#include <string_view>

namespace host::permission {

enum class LeadingDot { Plain, Explicit };  // Explicit: `*` and `?` do not match a leading dot

// `*` matches any characters ('/' too), `?` one character, `[a-z]` and `[!a-z]` one character of a
// set, `\x` the character x.
bool glob_match(std::string_view pattern, std::string_view text,
                LeadingDot dot = LeadingDot::Plain);

bool has_wildcard(std::string_view pattern);

}  // namespace host::permission
