// Parses the arguments that a command line gives for a call: one JSON object, or name=value pairs.
// If a value of a name=value pair is valid JSON, the function parses the value as JSON. A value
// that is not valid JSON becomes a text.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace host::cli {

Result<json::Document> tool_arguments(const std::vector<std::string>& words);

}  // namespace host::cli
