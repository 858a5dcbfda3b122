// Resource limits. A worker can lower what it was given and raise nothing.
#pragma once

#include "sandbox/profile.h"

namespace host::sandbox {

Layer apply_limits(const Profile& profile);

}  // namespace host::sandbox
