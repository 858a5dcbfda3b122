// The arguments step of the call pipeline: prepares arguments for the tool. Absent arguments become
// {}. Optional members with the value null are removed. The tool's presets replace members of the
// same name. Then the arguments are checked against the tool's schema. I/O thread only.
#pragma once

#include <optional>

#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::router {

class Arguments {
 public:
  // Changes call.arguments, and writes their text to call.arguments_text once for all later steps.
  // If the arguments are not valid, returns an isError result that names the member and the rule,
  // so that a model can correct itself. If they are valid, returns nullopt.
  std::optional<tool::CallResult> prepare(tool::Call& call, const tool::Tool& tool) const;
};

}  // namespace host::router
