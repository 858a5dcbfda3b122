// The name of the host's own tool that calls another tool. The tool's argument `name` is the name
// of that other tool.
#pragma once

namespace host::tool {

inline constexpr const char* kCallTool = "call_tool";

}  // namespace host::tool
