// Prints the state of plugins for `toolpost plugins`.
#pragma once

#include <vector>

#include "plugin/lifecycle/status.h"

namespace host::cli {

// Prints a table, and then lines with details that do not fit into it: sandboxes, errors, crashes,
// refusals, notes.
void print_plugins(const std::vector<plugin::PluginStatus>& plugins);

}  // namespace host::cli
