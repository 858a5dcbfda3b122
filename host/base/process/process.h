// Finds out whether a process that was seen before still runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace host {

// Identifies a process among all processes that ever have its pid, also in other PID namespaces.
// Contains the boot, this PID namespace, and the start in the kernel's ticks since the boot. Empty:
// there is no such process.
std::string mark_of_process(pid_t pid);

// True if the process with this mark has ended. False if the mark is of a different PID namespace,
// because the pid means a different process there.
bool has_ended(pid_t pid, std::string_view mark);

}  // namespace host
