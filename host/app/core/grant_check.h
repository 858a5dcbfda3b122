// Finds grants that plugins lack: permissions that their libraries ask for, and folders that paths
// in their settings need. The functions are called on the I/O thread.
#pragma once

#include <vector>

#include "config/config.h"

namespace host::app {

class Core;

// Of a core that was started. One warning (C022) for each plugin that serves in a worker and asks
// for `exec`, but may not run programs, and for each existing file or folder in
// [plugin.NAME.settings] that no entry of its `fs` covers.
std::vector<config::Diagnostic> missing_grants(Core& core, const config::Config& config);

}  // namespace host::app
