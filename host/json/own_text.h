// Parses JSON texts that the host has written itself or has accepted earlier, such as stored
// results and arguments.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace host::json {

// Parses a text as parse() does, but with higher limits, which allow every text that the host can
// accept under any settings. So the host can read again every text that it has accepted, even if
// the settings have changed since then.
Result<Document> parse_own(std::string_view text);

}  // namespace host::json
