// Tools with the fixed arguments of an agent or a session. Such a tool is the provider's tool with
// more presets: lists, searches, the arguments step, approvals and the audit treat it as any tool.
// I/O thread only.
#pragma once

#include <initializer_list>
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
  Client,   // wants them for a session: an argument that is fixed already is an Error
  Session,  // has them: what was fixed since then has priority
};

// An Error: the tool has no such argument, its schema does not allow the value, or, for a Client,
// the argument is fixed already with another value. The host's own tools and tools of a session's
// client have no presets.
Result<std::shared_ptr<const tool::Tool>> with_presets(const tool::Entry& entry,
                                                       const std::string& presets, PresetsOf by);

// Replaces the tools of `entries` that have presets. A tool that cannot have its presets, because
// its schema has changed since, is removed: without them it would do more than was allowed. A log
// line reports it. `whose`: for the log.
void apply_presets(std::vector<tool::Entry>& entries, const Presets& presets, PresetsOf by,
                   std::string_view whose);

// True if the tool fixes all these arguments: with these values, or with those of a tool of
// `fixing`, which have priority. A tool of `fixing` may be null.
bool has_presets(const tool::Tool& tool, std::string_view presets,
                 std::initializer_list<const tool::Tool*> fixing);

}  // namespace host::router
