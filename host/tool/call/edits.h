// Handles the names of the members that a reviewer changed in a call's arguments. If a client
// executes the call, the host needs the names of the changed members until the client has answered.
// To survive a restart of the host, the names of changed members are stored in the call's
// Continuation.
#pragma once

#include <string_view>

namespace host::tool {

// kEdits is the key under which Continuation::answers stores the names of the members that the
// reviewer changed. The value of the key kEdits is a JSON array of names.
inline constexpr std::string_view kEdits = "toolpost.edits";

}  // namespace host::tool
