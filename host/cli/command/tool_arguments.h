// Parses the arguments of a call on the command line: one JSON object, or name=value pairs. A value
// that is valid JSON is parsed as JSON; any other value is a text.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace host::cli {

Result<json::Document> tool_arguments(const std::vector<std::string>& words);

}  // namespace host::cli
