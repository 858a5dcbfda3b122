// Ends the processes of a session whose leader can no longer do it.
#pragma once

#include <sys/types.h>

namespace host::upstream {

// Sends SIGKILL to each process of this session but the leader. The leader must not be reaped yet,
// so that the number is still its own. Processes that made a session of their own are not found.
void end_session(pid_t leader);

}  // namespace host::upstream
