// Whether a process that was seen before still runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace host {

// Identifies a process among all that have its pid at other times or elsewhere: the boot, this PID
// namespace, and the start in the kernel's ticks since the boot. Empty: there is no such process.
std::string mark_of_process(pid_t pid);

// Whether the process with this mark has ended. False if its PID namespace is not this one: its pid
// means another process there.
bool has_ended(pid_t pid, std::string_view mark);

}  // namespace host
