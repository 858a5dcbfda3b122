// Finds the tools of a plugin that the host serves.
#pragma once

#include <string>
#include <vector>

#include "plugin/lifecycle/status.h"

namespace host::cli {

// The member `tools` of a plugin's status also lists tools that the host refused, for example
// because two plugins have a tool of the same name. The returned list does not have refused tools.
std::vector<std::string> served_tools(const plugin::PluginStatus& status);

}  // namespace host::cli
