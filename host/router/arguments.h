// Step 3 of the road: arguments as the tool will see them. Absent means {}; nulls of optional
// members are dropped; presets are overlaid and win; then the tool's schema decides. I/O thread
// only.
#pragma once

#include <optional>

#include "tool/call.h"
#include "tool/tool.h"

namespace host::router {

class Arguments {
 public:
  // Changes call.arguments and writes their text, once for all who need it. An answer instead of
  // nothing means that they cannot be used: an isError result whose text names the place and the
  // rule, so that a model can correct itself.
  std::optional<tool::CallResult> prepare(tool::Call& call, const tool::Tool& tool) const;
};

}  // namespace host::router
