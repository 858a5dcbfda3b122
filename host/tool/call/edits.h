// Which members of a call's arguments a reviewer changed. If a client executes the call, the host
// needs these names until the client has answered. By then the host may have restarted, so the
// names are part of the call's Continuation.
#pragma once

#include <string_view>

namespace host::tool {

// The key of the names in Continuation::answers. The value is a JSON array of names.
inline constexpr std::string_view kEdits = "toolpost.edits";

}  // namespace host::tool
