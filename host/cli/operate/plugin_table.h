// The state of plugins as `toolpost plugins` prints it.
#pragma once

#include <vector>

#include "plugin/lifecycle/status.h"

namespace host::cli {

// A table, then line by line what it has no room for: sandboxes, errors, crashes, refusals, notes.
void print_plugins(const std::vector<plugin::PluginStatus>& plugins);

}  // namespace host::cli
