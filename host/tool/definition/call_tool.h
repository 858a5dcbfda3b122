// Defines the name of the host's own tool that calls another tool. The argument `name` of the
// host's tool is the name of the tool to call.
#pragma once

namespace host::tool {

inline constexpr const char* kCallTool = "call_tool";

}  // namespace host::tool
