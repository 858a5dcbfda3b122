// Decides whether read-only calls have separate workers, and which profile these workers have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "plugin/declared/policy.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

// Returns the profile of separate workers for read-only calls. Returns nullopt if read-only calls
// share the workers of other calls. If the configuration does not decide, plugins with commands get
// separate workers, because only the sandbox can prevent the programs of a command from writing.
// If the plugin hands over state or the kernel has no Landlock, the calls share workers. `programs`
// are the names of the programs that a command may run in the separate workers.
std::optional<sandbox::Profile> reading_profile(const Build& build, const config::Plugin& settings,
                                                const Offer& offer,
                                                const std::vector<std::string>& programs);

}  // namespace host::plugin
