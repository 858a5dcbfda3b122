// The diagnostics of a configuration, for programs.
#pragma once

#include <string>
#include <vector>

#include "config/diagnostic.h"

namespace host::cli {

// An array of {"file", "line", "column", "severity", "code", "message", "help"}.
std::string diagnostics_json(const std::vector<config::Diagnostic>& diagnostics);

}  // namespace host::cli
