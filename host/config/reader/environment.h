// Reads environment variables that override the configuration, like TOOLPOST_CALL__TIMEOUT_S=5.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/path.h"

namespace host::config {

void override_from(const char* const* environment, const PathBase& base, Config& into,
                   std::vector<Diagnostic>& diagnostics);

}  // namespace host::config
