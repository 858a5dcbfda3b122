// Finds the tools of a plugin that the host serves.
#pragma once

#include <string>
#include <vector>

#include "plugin/lifecycle/status.h"

namespace host::cli {

// `tools` of the status also has tools that the host refused, for example because another plugin
// has a tool of this name. The returned list does not have refused tools.
std::vector<std::string> served_tools(const plugin::PluginStatus& status);

}  // namespace host::cli
