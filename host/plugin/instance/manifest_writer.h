// Writes what a library says of itself as JSON. Runs beside the plugin, mostly in the probe and the
// worker: it follows the library's pointers, so a lie of the descriptor ends that process alone.
#pragma once

#include <toolpost/plugin.h>

#include <string>

#include "base/result.h"
#include "plugin/instance/instance.h"

namespace host::plugin {

// Steps by the library's own stride and size, and checks all texts for length and UTF-8.
Result<std::string> write_manifest(const tp_plugin& plugin, const Instance& instance);

}  // namespace host::plugin
