// Finds out whether a process that the host knows from earlier still runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace host {

// Returns a text that identifies a process. If a later process has the same pid, mark_of_process()
// returns a different text for it, even in another PID namespace. The text that identifies a
// process contains the id of the boot, the PID namespace, and the start time of the process in
// ticks since the boot. The returned value is empty if no process has this pid.
std::string mark_of_process(pid_t pid);

// Returns true if the process for which mark_of_process() returned `mark` has ended. The function
// returns false if the mark is from a different PID namespace, because the same pid means a
// different process there.
bool has_ended(pid_t pid, std::string_view mark);

// Returns true if the process for which mark_of_process() returned `mark` is stopped, for example
// by SIGSTOP or by a debugger.
bool is_stopped(pid_t pid, std::string_view mark);

}  // namespace host
