// Which members of a call's arguments a reviewer changed. A call that a caller executes needs this
// until the caller has answered, perhaps in the next host. So it is part of the call's
// Continuation.
#pragma once

#include <string_view>

namespace host::tool {

// The key in Continuation::answers. Its value is a JSON array of names.
inline constexpr std::string_view kEdits = "toolpost.edits";

}  // namespace host::tool
