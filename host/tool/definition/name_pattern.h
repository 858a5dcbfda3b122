// A name pattern in the configuration matches names of tools.
#pragma once

#include <string_view>

namespace host::tool {

// Returns true if `name` matches `pattern`. A `*` in the pattern matches any text (or none).
bool fits_pattern(std::string_view pattern, std::string_view name);

}  // namespace host::tool
