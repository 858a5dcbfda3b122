// Makes the sandbox profile of an upstream's process from the section [upstream.sandbox].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "sandbox/profile.h"

namespace host::upstream {

// Returns the sandbox profile of the upstream's process, or nullopt if the upstream has no sandbox.
std::optional<sandbox::Profile> profile_of(const config::Upstream& upstream,
                                           const config::Sandbox& sandbox);

// Returns the grants and limits in the form of the configuration, such as "rw:/srv/data", "sockets"
// or "memory_mib 1024".
std::vector<std::string> in_words(const config::UpstreamSandbox& sandbox);

// Returns a hint about a process that failed in the sandbox `sandbox`. The hint lists what the
// sandbox permits, and names the [upstream.sandbox] setting that can have caused each known error
// in `said`. `said` contains the reason of the failure and the last lines of the process.
std::string sandbox_hint(const config::UpstreamSandbox& sandbox,
                         const std::vector<std::string>& said);
// Returns true if `said` contains an error that the sandbox can have caused.
bool names_sandbox_error(const std::vector<std::string>& said);

}  // namespace host::upstream
