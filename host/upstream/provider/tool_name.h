// The names under which an upstream's tools are served: mcp__UPSTREAM__TOOL.
#pragma once

#include <string>
#include <string_view>

#include "tool/name_pattern.h"

namespace host::upstream {

// Characters that this host's tools cannot have become `_`. A name over 64 bytes is cut, and ends
// with a digest of the tool's whole name. Two tools may get the same name.
std::string served_name(std::string_view upstream, std::string_view tool);

using tool::fits_pattern;

}  // namespace host::upstream
