// Sets resource limits (rlimits). A worker can later lower its limits, but never raise its limits.
#pragma once

#include "sandbox/profile.h"

namespace host::sandbox {

Layer apply_limits(const Profile& profile);

}  // namespace host::sandbox
