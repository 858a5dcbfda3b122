// Writes a library's description as JSON. It runs in the plugin's process, usually a probe or a
// worker, because it follows the library's pointers: a wrong descriptor crashes only that process.
#pragma once

#include <toolpost/plugin.h>

#include <string>

#include "base/result.h"
#include "plugin/instance/instance.h"

namespace host::plugin {

// Uses the library's own stride and sizes, and checks all texts for length and UTF-8.
Result<std::string> write_manifest(const tp_plugin& plugin, const Instance& instance);

}  // namespace host::plugin
