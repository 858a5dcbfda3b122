// Installs system call filters in the calling process. The main one comes compiled from the host
// (compile_filter.h), so that a worker needs neither the compiler nor the time.
#pragma once

#include <string>

#include "sandbox/profile.h"

namespace host::sandbox {

// Whether there is a filter and a kernel that takes it.
bool can_filter(const Profile& profile);

// For all threads, now and later. Needs no_new_privs. An empty filter is none.
Layer enter_filter(const Profile& profile);

}  // namespace host::sandbox
