// Patterns of tool names in the configuration.
#pragma once

#include <string_view>

namespace host::tool {

// `pattern` may have `*`, for any characters.
bool fits_pattern(std::string_view pattern, std::string_view name);

}  // namespace host::tool
