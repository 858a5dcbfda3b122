// Writes a library's description as JSON. The writer follows pointers of the library, so it runs in
// the process that has loaded the library, usually a probe or a worker. If a pointer of the library
// is invalid, only that process crashes.
#pragma once

#include <toolpost/plugin.h>

#include <string>

#include "base/result.h"
#include "plugin/instance/instance.h"

namespace host::plugin {

// The writer reads tables with the struct sizes that the library states, and checks that all texts
// are valid UTF-8 and not too long.
Result<std::string> write_manifest(const tp_plugin& plugin, const Instance& instance);

}  // namespace host::plugin
