// Says why a tool is not served. A client gets only the error that the tool is unknown. An
// operator, who runs commands on the host's machine, gets an error with the reason. The tool can be
// disabled, be in a group that is not active, or have a definition that waits for a decision.
#pragma once

#include <string>

#include "app/core/core.h"
#include "base/result.h"

namespace host::cli {

// `agent` is the agent as which the tool was called, or empty if the caller has no agent. The Error
// has the kind NotFound.
Error unserved_tool(app::Core& core, const std::string& agent, const std::string& tool);

}  // namespace host::cli
