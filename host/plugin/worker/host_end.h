// How a worker ends with its host, whatever state it is in and however the host ends. The kernel
// kills it; where that was undone, a thread sees the socket's other end close; and what it started
// is ended by a keeper. docs/decisions/0018 says why each is there.
#pragma once

#include "base/result.h"

namespace host::plugin::worker {

// First of all. From here on the kernel kills this process when the host's thread that started it
// ends. Where the host has ended already this does not return.
void die_with_host(int socket);

// Once the sandbox is on, before anything of the plugin's is mapped. A thread ends the process when
// nobody has the other end of `socket` any more; plugin code that hangs does not delay it.
Result<void> watch_for_end_of_host(int socket);

// For a worker that may start programs, before the sandbox is on. A process of its own kills all
// that is left of this one's session when this one has ended, and ends. The sandbox keeps what is
// started here from leaving the session.
Result<void> start_keeper();

}  // namespace host::plugin::worker
