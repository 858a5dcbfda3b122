// Limits the number of processes (RLIMIT_NPROC).
#pragma once

#include <cstdint>

#include "base/result.h"

namespace host::sandbox {

// Limits the processes and threads of the calling process's user namespace. Call limit_processes()
// after enter_namespaces() and drop_capabilities(), while the process has a single thread and no
// child. limit_processes() starts two processes to find out whether the kernel enforces the limit.
// Returns an Error, and sets no limit, if the kernel does not limit the processes of this user
// (root), or if the kernel also counts this user's processes outside the sandbox.
Result<void> limit_processes(std::uint32_t most);

}  // namespace host::sandbox
