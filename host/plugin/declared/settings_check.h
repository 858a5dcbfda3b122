// Checks a plugin's settings against the JSON Schema that the plugin declares.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

// `schema` is the schema that the plugin declares. If `schema` is empty, any settings are valid.
// `settings` is one JSON object from the configuration. An Error lists each wrong setting with its
// JSON pointer, the expected and the actual value, and the position of the rule in the schema.
Result<void> check_settings(const std::string& plugin, std::string_view schema,
                            std::string_view settings);

}  // namespace host::plugin
