// Installs system call filters in the calling process. The host compiles the main filter
// (compile_filter.h), so that a worker needs neither libseccomp nor the time to compile.
#pragma once

#include <string>

#include "sandbox/profile.h"

namespace host::sandbox {

// True if the profile has a filter and the kernel supports filters.
bool can_filter(const Profile& profile);

// Applies to all current and later threads. Needs no_new_privs. An empty filter is not installed.
// A deadly call raises SIGSYS. Later changes of its signal handler are ignored.
Layer enter_filter(const Profile& profile);

}  // namespace host::sandbox
