// Finds permissions that plugins lack. A plugin needs the permissions that its library requests. A
// plugin also needs access to the files and folders in its settings. Call the functions of this
// header on the I/O thread.
#pragma once

#include <vector>

#include "config/config.h"

namespace host::app {

class Core;

// Returns one warning (C022) for each plugin that runs in a worker and requests `exec`, but is not
// allowed to run programs. Returns one warning (C022) for each existing file or folder in
// [plugin.NAME.settings] that no entry of the plugin's `fs` covers. The parameter `core` must have
// been started.
std::vector<config::Diagnostic> missing_grants(Core& core, const config::Config& config);

}  // namespace host::app
