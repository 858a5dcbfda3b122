// The names under which an upstream's tools and prompts are served: mcp__UPSTREAM__NAME.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/definition/name_pattern.h"

namespace host::upstream {

// Replaces characters that names of tools cannot have by `_`. Shortens a name over 64 bytes, which
// then ends with a digest of the tool's whole name. Two tools may get the same name.
std::string served_name(std::string_view upstream, std::string_view tool);

using tool::fits_pattern;

// Whether one of the patterns fits.
bool is_named_by(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace host::upstream
