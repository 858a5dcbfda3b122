// Checks that each [[interceptor]] of a configuration has the effect that it appears to have. The
// functions are called on the I/O thread.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/diagnostic.h"
#include "config/name/known_names.h"

namespace host::app {

class Core;

// Returns a warning for each entry whose plugin is disabled or is no interceptor, for each pattern
// in `tools` that matches no tool and no expected name, for each entry that names call_tool, and
// for each entry that intercepts calls that an earlier entry with the same plugin intercepts too.
// The function returns no warning for a name that no plugin has: config::unknown_names() returns
// this warning.
std::vector<config::Diagnostic> useless_interceptors(Core& core, const config::Config& config,
                                                     const config::KnownNames& known);

}  // namespace host::app
