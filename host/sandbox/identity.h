// Sets a worker's user, namespaces and capabilities.
#pragma once

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

// Switches to user and group `uid` permanently. The function needs root. Signals that
// PR_SET_PDEATHSIG has requested for the end of the parent process still arrive after become().
Result<void> become(std::uint32_t uid);

enum class Network { Shared, None };

// Enters a new user namespace and a new namespace for System V IPC. If the worker must have no
// network, the function also enters a new network namespace. If the kernel refuses the namespaces,
// the function reports that the sandbox lacks the layer `namespaces`. The process must have a
// single thread.
Layer enter_namespaces(Network network);

Layer set_no_new_privs();

// Drops all capabilities from every set. If the process has CAP_SETPCAP, the function also empties
// the bounding set. If the process does not have CAP_SETPCAP, only set_no_new_privs() keeps the
// process from gaining capabilities when it executes a program.
Layer drop_capabilities();

}  // namespace host::sandbox
