// Grants that plugins lack: what their libraries ask for, and what paths in their settings need.
// I/O thread only.
#pragma once

#include <vector>

#include "config/diagnostic.h"

namespace host::app {

class Core;

// Of a core that was started. One warning (C022) for each plugin that serves in a worker and asks
// for `exec`, but may not run programs, and for each existing file or folder in
// [plugin.NAME.settings] that no entry of its `fs` covers.
std::vector<config::Diagnostic> missing_grants(Core& core);

}  // namespace host::app
