// Sets resource limits (rlimits). A worker can lower its limits, but never raise them.
#pragma once

#include "sandbox/profile.h"

namespace host::sandbox {

Layer apply_limits(const Profile& profile);

}  // namespace host::sandbox
