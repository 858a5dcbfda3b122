// Tools with the fixed arguments of an agent or a session. Such a tool is the provider's tool with
// more presets: lists, searches, the arguments step, approvals and the audit treat it as any tool.
// I/O thread only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "tool/provider/catalog.h"

namespace host::router {

// {"tool": {"argument": value}}: the JSON text of the arguments, by tool.
using Presets = std::map<std::string, std::string, std::less<>>;
Presets presets_in(std::string_view json);

// Who adds the presets.
enum class PresetsOf {
  Agent,    // the operator: replaces what the plugin and its section of the configuration fix
  Session,  // a client: what is fixed stays fixed
};

// An Error: the tool has no such argument, its schema does not allow the value, or the argument is
// fixed already. The host's own tools and tools of a session's client have no presets.
Result<std::shared_ptr<const tool::Tool>> with_presets(const tool::Entry& entry,
                                                       const std::string& presets, PresetsOf by);

// Replaces the tools of `entries` that have presets. A tool that cannot have its presets, because
// its schema has changed since, is removed: without them it would do more than was allowed. A log
// line reports it. `whose`: for the log.
void apply_presets(std::vector<tool::Entry>& entries, const Presets& presets, PresetsOf by,
                   std::string_view whose);

// True if the tool has all these presets, with these values.
bool has_presets(const tool::Tool& tool, std::string_view presets);

}  // namespace host::router
