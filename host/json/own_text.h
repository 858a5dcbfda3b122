// Parses JSON texts that the host has written itself or has accepted earlier, such as stored
// results and arguments.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace host::json {

// Works like parse(), but with limits that no text exceeds which the host has accepted under any
// settings. The limits of parse() are for texts of others: with them, the host could not read
// again what it has accepted with higher limits.
Result<Document> parse_own(std::string_view text);

}  // namespace host::json
