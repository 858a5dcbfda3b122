// Installs system call filters in the calling process. The host compiles the main filter
// (compile_filter.h), so that a worker needs neither libseccomp nor the time to compile.
#pragma once

#include <string>

#include "sandbox/profile.h"

namespace host::sandbox {

// Returns true if the profile has a filter and the kernel supports filters.
bool can_filter(const Profile& profile);

// Installs the filters for all current and later threads. The function needs no_new_privs.
// enter_filter() does not install an empty filter. A system call in kDeadly (system_calls.h) raises
// SIGSYS. After enter_filter(), a new handler for SIGSYS has no effect.
Layer enter_filter(const Profile& profile);

}  // namespace host::sandbox
