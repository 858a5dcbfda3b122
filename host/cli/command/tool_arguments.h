// Parses the arguments that a command line gives for a call: one JSON object, or name=value pairs.
// If a value is valid JSON, it is parsed as JSON. Any other value is a text.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace host::cli {

Result<json::Document> tool_arguments(const std::vector<std::string>& words);

}  // namespace host::cli
