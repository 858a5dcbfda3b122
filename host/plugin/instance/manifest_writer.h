// Writes a library's description as JSON. The code of this header follows pointers of the library,
// so it runs in the process that has loaded the library, usually a probe or a worker.
#pragma once

#include <toolpost/plugin.h>

#include <string>

#include "base/result.h"
#include "plugin/instance/instance.h"

namespace host::plugin {

// write_manifest() checks that all texts of the library are valid UTF-8 and not too long. The
// function write_manifest() reads no struct beyond the size that the library states.
Result<std::string> write_manifest(const tp_plugin& plugin, const Instance& instance);

}  // namespace host::plugin
