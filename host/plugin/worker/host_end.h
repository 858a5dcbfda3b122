// Makes a worker end when its host ends, even if plugin code hangs or the host is killed. When its
// host ends, the kernel kills the worker. Plugin code can disable the kernel's kill, so a thread of
// the worker also ends the worker when the host's end of the socket is closed. A keeper process
// kills all programs that the worker started. docs/decisions/0018 gives the reasons.
#pragma once

#include "base/result.h"

namespace host::plugin::worker {

// Call die_with_host() before any other function. After die_with_host(), the kernel kills this
// process when the host's thread that started the process ends. If the host has already ended, the
// function does not return.
void die_with_host(int socket);

// Starts a thread that ends the process when the other end of `socket` is closed, even if plugin
// code hangs. Call this function after the sandbox is applied and before any code of the plugin is
// mapped.
Result<void> watch_for_end_of_host(int socket);

// Use start_keeper() for a worker that can start programs. start_keeper() starts a separate process
// (the keeper). When the worker has ended, the keeper kills all other processes in the worker's
// session, and then ends. Call start_keeper() before the sandbox is applied. The sandbox keeps the
// worker's programs from leaving the session.
Result<void> start_keeper();

}  // namespace host::plugin::worker
