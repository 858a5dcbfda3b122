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

// Removes null members of `value` that `schema` declares and does not require, through objects,
// items, additionalProperties and references within the schema. A required or undeclared null
// stays.
void drop_optional_nulls(json::Value& value, const json::Value& schema,
                         const json::Value& root_schema);

}  // namespace host::router
