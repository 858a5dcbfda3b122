// Reads JSON texts of servers that the host does not control, for example upstreams.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace host::json {

// Parses a text as parse() does, but also accepts numbers and strings that are valid in JavaScript
// and that parse() refuses. An integer that needs more than 64 bits becomes the nearest double. A
// number that is too large for a double becomes the largest double. Half of a surrogate pair in a
// string value becomes U+FFFD.
Result<Document> parse_foreign(std::string_view text, const Limits& limits = {});

}  // namespace host::json
