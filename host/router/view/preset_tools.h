// Makes tools that have the fixed arguments of an agent or a session. Each of these tools is the
// provider's tool with additional presets (fixed arguments). Lists, searches, the arguments step,
// approvals and the audit treat a tool with presets like any other tool. The functions of this
// header are called on the I/O thread.
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

// The presets {"tool": {"argument": value}}: for each tool's name, the JSON text of the arguments.
using Presets = std::map<std::string, std::string, std::less<>>;
Presets presets_in(std::string_view json);

// Says who adds presets. If an argument has several presets, this value determines which preset has
// priority.
enum class PresetsOf {
  Agent,    // presets of the operator, which replace those that the plugin declares (and those of
            // its section [plugin.NAME])
  Client,   // presets that a client wants for a session: they cannot change fixed arguments
            // (otherwise the function returns an Error)
  Session,  // presets of a stored session; arguments fixed later have priority
};

// The function returns an Error if the tool has no such argument, or if the tool's schema does not
// allow the value. The function also returns an Error if a client requests a different value for an
// argument that already has a preset. Tools of the host itself and tools of a session's client
// cannot have presets.
Result<std::shared_ptr<const tool::Tool>> with_presets(const tool::Entry& entry,
                                                       const std::string& presets, PresetsOf by);

// Replaces each tool in `entries` that has presets by a tool with these presets. apply_presets()
// removes a tool if its changed schema no longer allows the presets. Without the presets, the tool
// would do more than the operator or client allowed. For each tool that the function removes, it
// writes a log line. In log lines, `whose` names the owner of the presets.
void apply_presets(std::vector<tool::Entry>& entries, const Presets& presets, PresetsOf by,
                   std::string_view whose);

// Returns true if the tool has a preset for each argument in `presets`. Each of these presets must
// have the value from `presets`, or the value of the same preset of a tool in `fixing`. A pointer
// in `fixing` can be null.
bool has_presets(const tool::Tool& tool, std::string_view presets,
                 std::initializer_list<const tool::Tool*> fixing);

}  // namespace host::router
