// Applies a Profile to the calling process. Call apply() once, while the process has a single
// thread, and before the plugin's library is mapped, because the library's constructors are plugin
// code too. If `Profile::server` is true, execute the server after apply().
#pragma once

#include <vector>

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

struct Applied {
  std::vector<Layer> layers;        // all layers, in their order
  std::vector<std::string> absent;  // granted paths that the process cannot access, and why
};

// Applies as many layers of the sandbox as the kernel allows. Returns an Error if a layer of
// `profile.required` or the change to `profile.uid` fails, or if the kernel rejects the filter as
// malformed. After an Error, do not load the plugin.
Result<Applied> apply(const Profile& profile);

}  // namespace host::sandbox
