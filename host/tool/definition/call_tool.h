// The name of the host's own tool that calls another tool, which its argument `name` names.
#pragma once

namespace host::tool {

inline constexpr const char* kCallTool = "call_tool";

}  // namespace host::tool
