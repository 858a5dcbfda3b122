// Makes the names under which the host serves an upstream's tools and prompts: mcp__UPSTREAM__NAME.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/definition/name_pattern.h"

namespace host::upstream {

// Returns the name under which the host serves a tool or prompt. The function served_name() writes
// `_` for each character that a tool's name cannot have. The function served_name() shortens a name
// of more than 64 bytes. A shortened name ends with a digest of the tool's whole name. Two tools
// can get the same served name.
std::string served_name(std::string_view upstream, std::string_view tool);
// Returns a function that returns the served names of the upstream's tools.
std::function<std::string(std::string_view tool)> served_names(std::string upstream);

using tool::fits_pattern;

// Returns true if at least one of the patterns matches the name.
bool is_named_by(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace host::upstream
