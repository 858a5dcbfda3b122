// Who a worker is: its user, its namespaces, its capabilities.
#pragma once

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

// Of user and group `uid` alone, for good. Needs root. The signal that it gets at its parent's end
// stays as it was.
Result<void> become(std::uint32_t uid);

enum class Network { Shared, None };

// A user namespace of its own, in it one for System V IPC, and one for the network where there is
// to be none. Best effort. With a single thread only.
Layer enter_namespaces(Network network);

Layer set_no_new_privs();

// None left in any set, the bounding set included. Needs no_new_privs where namespaces are denied.
Layer drop_capabilities();

}  // namespace host::sandbox
