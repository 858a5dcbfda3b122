// A worker's user, namespaces and capabilities.
#pragma once

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

// Switches to user and group `uid` for good. Needs root. The signal that it gets when its parent
// ends is kept.
Result<void> become(std::uint32_t uid);

enum class Network { Shared, None };

// Enters a new user namespace, in it one for System V IPC, and one for the network if it must have
// none. Best effort. Only with a single thread.
Layer enter_namespaces(Network network);

Layer set_no_new_privs();

// Drops all capabilities from every set, including the bounding set. Needs no_new_privs if
// namespaces are denied.
Layer drop_capabilities();

}  // namespace host::sandbox
