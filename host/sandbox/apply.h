// Applies a Profile to the calling process. Call it once, while the process has a single thread,
// and before any code of the plugin is mapped: its constructors are plugin code too.
#pragma once

#include <vector>

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

struct Applied {
  std::vector<Layer> layers;        // all layers, in their order
  std::vector<std::string> absent;  // granted paths that are not accessible, and why
};

// Best effort, except for the layers in `profile.required`, for `uid`, and for a filter that the
// kernel rejects as malformed. If one of these fails, the plugin must not be loaded.
Result<Applied> apply(const Profile& profile);

}  // namespace host::sandbox
