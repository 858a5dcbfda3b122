#include "cli/access/served_tools.h"

#include <algorithm>

namespace host::cli {

std::vector<std::string> served_tools(const plugin::PluginStatus& status) {
  std::vector<std::string> names;
  for (const std::string& tool : status.tools) {
    const bool refused =
        std::any_of(status.refusals.begin(), status.refusals.end(),
                    [&tool](const tool::Refusal& refusal) { return refusal.tool == tool; });
    if (!refused) names.push_back(tool);
  }
  return names;
}

}  // namespace host::cli
