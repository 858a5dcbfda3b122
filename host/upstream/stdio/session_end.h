// Ends the processes of a session if the session's leader can no longer end them.
#pragma once

#include <sys/types.h>

namespace host::upstream {

// Sends SIGKILL to each process of the session except the leader. The leader must not be reaped
// yet, so that no other process can have the leader's process id. The function end_session() does
// not find processes that made a new session.
void end_session(pid_t leader);

}  // namespace host::upstream
