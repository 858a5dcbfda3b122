// Puts a Profile on the calling process. Once, while it has a single thread, and before any code of
// the plugin's is mapped: its constructors are plugin code too.
#pragma once

#include <vector>

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

struct Applied {
  std::vector<Layer> layers;        // each one, in their order
  std::vector<std::string> absent;  // paths of grants that cannot be granted, and why
};

// Best effort but for what `profile.required` names, for `uid`, and for a filter that the kernel
// takes for no filter: these fail, and nothing may be loaded then.
Result<Applied> apply(const Profile& profile);

}  // namespace host::sandbox
