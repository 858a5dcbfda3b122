// Makes a worker end with its host, in every state, for any end of the host. The kernel kills the
// worker. If plugin code disabled that, a thread notices that the host closed the socket. A keeper
// process ends everything that the worker started. docs/decisions/0018 explains why each is needed.
#pragma once

#include "base/result.h"

namespace host::plugin::worker {

// Call it first. From now on the kernel kills this process when the host's thread that started it
// ends. If the host has already ended, this does not return.
void die_with_host(int socket);

// Call it after the sandbox is applied and before any code of the plugin is mapped. A thread ends
// the process when the other end of `socket` is closed. Hanging plugin code does not delay this.
Result<void> watch_for_end_of_host(int socket);

// For a worker that may start programs; call it before the sandbox is applied. Starts a separate
// process, which kills the rest of this worker's session when the worker has ended, and then ends.
// The sandbox keeps the worker's programs from leaving the session.
Result<void> start_keeper();

}  // namespace host::plugin::worker
