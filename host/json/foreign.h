// Reads JSON texts of servers that the host does not control, for example upstreams.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace host::json {

// Works like parse(), but reads numbers and texts that JavaScript reads and parse() refuses. An
// integer that needs more than 64 bits becomes the nearest double, and a number that is too large
// for a double becomes the largest one. Half of a surrogate pair in a string value becomes U+FFFD.
Result<Document> parse_foreign(std::string_view text, const Limits& limits = {});

}  // namespace host::json
