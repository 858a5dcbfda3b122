// Whether a process that was seen before still runs.
#pragma once

#include <sys/types.h>

#include <string>

namespace host {

// Tells a process from every other that has its pid at another time: when it was started, in the
// kernel's ticks since the boot, and which boot that was. Empty: there is no such process.
std::string mark_of_process(pid_t pid);

}  // namespace host
