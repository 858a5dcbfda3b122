// Writes canonical JSON. Two values that differ only in the order of object members give the same
// text.
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"

namespace host::json {

// Writes compact JSON with the members of every object sorted by the bytes of their names.
// canonical() writes numbers and strings in the same way as write().
std::string canonical(const Value& value);
// Returns the canonical JSON of a text. If the text is not JSON, returns the text unchanged.
std::string canonical_text(std::string_view text);

}  // namespace host::json
