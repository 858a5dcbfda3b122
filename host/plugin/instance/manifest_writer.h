// Writes a library's description as JSON. The code follows the library's pointers, so it runs in
// the process that has loaded the plugin, usually a probe or a worker. If a pointer of the library
// is invalid, only that process crashes.
#pragma once

#include <toolpost/plugin.h>

#include <string>

#include "base/result.h"
#include "plugin/instance/instance.h"

namespace host::plugin {

// The function reads tables with the struct sizes that the library states, and checks the length
// and UTF-8 of all texts.
Result<std::string> write_manifest(const tp_plugin& plugin, const Instance& instance);

}  // namespace host::plugin
