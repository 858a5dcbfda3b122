// Writes the diagnostics of a configuration as JSON, for programs.
#pragma once

#include <string>
#include <vector>

#include "config/diagnostic.h"

namespace host::cli {

// Returns a JSON array of {"file", "line", "column", "severity", "code", "message", "help"}.
std::string diagnostics_json(const std::vector<config::Diagnostic>& diagnostics);

}  // namespace host::cli
