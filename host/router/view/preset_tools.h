// Makes copies of a provider's tools with presets: fixed arguments of an agent or a session. Lists,
// searches, the arguments step, approvals and the audit treat a tool with presets like any other
// tool. The functions of this header are called on the I/O thread.
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

// Maps a tool's name to its presets, as the text of a JSON object such as {"path": "/tmp"}.
using Presets = std::map<std::string, std::string, std::less<>>;
Presets presets_in(std::string_view json);

// Says who adds presets. If presets of the agent, a client or a session fix the same argument,
// PresetsOf decides which of them applies.
enum class PresetsOf {
  Agent,    // presets of the operator, which replace those that the plugin declares (and those of
            // its section [plugin.NAME])
  Client,   // presets that a client wants for a session: they cannot change fixed arguments
  Session,  // presets of a stored session; arguments fixed later have priority
};

// Returns the tool of `entry` with the presets. Returns an Error if the tool has no such argument,
// or if the tool's schema does not allow the value. For PresetsOf::Client, a different value for an
// argument that already has a preset is an Error. Tools of the host itself and tools of a session's
// client cannot have presets.
Result<std::shared_ptr<const tool::Tool>> with_presets(const tool::Entry& entry,
                                                       const std::string& presets, PresetsOf by);

// Replaces each tool in `entries` that has presets by a tool with these presets. If a tool's
// changed schema no longer allows its presets, apply_presets() removes the tool and writes a log
// line, because a tool without its presets could do more than allowed. Log lines name the owner of
// the presets, `whose`.
void apply_presets(std::vector<tool::Entry>& entries, const Presets& presets, PresetsOf by,
                   std::string_view whose);

// Returns true if the tool has a preset for each argument in `presets`. The value of the preset
// must be the value in `presets`, or the value of the same preset of a tool in `fixing`. `fixing`
// can contain null pointers.
bool has_presets(const tool::Tool& tool, std::string_view presets,
                 std::initializer_list<const tool::Tool*> fixing);

}  // namespace host::router
