// Finds [[interceptor]] sections of a configuration that do not have the effect that they appear to
// have. Call the functions of this header on the I/O thread.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/diagnostic.h"
#include "config/name/known_names.h"

namespace host::app {

class Core;

// Returns a warning for each [[interceptor]] entry whose plugin is disabled or is no interceptor,
// and for each entry that names call_tool. A pattern in the setting `tools` gets a warning if it
// matches no tool and no expected name. If two entries with the same plugin intercept the same
// calls, the function returns a warning for the later entry. For a name that no plugin has,
// config::unknown_names() returns the warning.
std::vector<config::Diagnostic> useless_interceptors(Core& core, const config::Config& config,
                                                     const config::KnownNames& known);

}  // namespace host::app
