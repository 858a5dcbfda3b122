// Prints the state of plugins for `toolpost plugins`.
#pragma once

#include <vector>

#include "plugin/lifecycle/status.h"

namespace host::cli {

// Prints a table of plugins, and then lines with details that do not fit into the table: sandboxes,
// errors, crashes, refusals and notes.
void print_plugins(const std::vector<plugin::PluginStatus>& plugins);

}  // namespace host::cli
