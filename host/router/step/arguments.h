// The arguments step of the call pipeline: prepares arguments for the tool. Absent arguments become
// {}. Nulls of optional members are dropped. Presets override members. Then the tool's schema is
// checked. I/O thread only.
#pragma once

#include <optional>

#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::router {

class Arguments {
 public:
  // Changes call.arguments, and writes their text to call.arguments_text once for all later steps.
  // If the arguments are not valid, returns an isError result that names the member and the rule,
  // so that a model can correct itself. Otherwise nullopt.
  std::optional<tool::CallResult> prepare(tool::Call& call, const tool::Tool& tool) const;
};

}  // namespace host::router
