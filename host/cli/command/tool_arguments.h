// Arguments of a call as a person types them: one JSON object, or name=value pairs whose values are
// JSON where they parse as such and text otherwise.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace host::cli {

Result<json::Document> tool_arguments(const std::vector<std::string>& words);

}  // namespace host::cli
