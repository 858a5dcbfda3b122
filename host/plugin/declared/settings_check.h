// A plugin's settings against the JSON Schema that it declares for them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

// `schema` is the plugin's own text, empty for "any"; `settings` one JSON object of the
// configuration. The error names each setting that does not fit by its JSON pointer, what was
// expected and found, and the rule's place in the schema.
Result<void> check_settings(const std::string& plugin, std::string_view schema,
                            std::string_view settings);

}  // namespace host::plugin
