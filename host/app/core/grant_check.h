// Finds grants that plugins lack: permissions that their libraries ask for, and folders that paths
// in their settings need. I/O thread only.
#pragma once

#include <vector>

#include "config/diagnostic.h"

namespace host::app {

class Core;

// Checks the plugins that serve in a worker. The core must be started. Returns one warning (C022)
// for each plugin that asks for `exec` but may not run programs, and one for each existing file or
// folder in [plugin.NAME.settings] that no entry of the plugin's `fs` covers.
std::vector<config::Diagnostic> missing_grants(Core& core);

}  // namespace host::app
