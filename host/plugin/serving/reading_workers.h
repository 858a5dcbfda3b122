// Decides whether read-only calls have separate workers, and with which profile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "plugin/declared/policy.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

// nullopt: read-only calls share the workers of other calls. If the configuration does not set
// this, plugins with commands get separate workers, because only the sandbox can prevent their
// programs from writing. `programs` are the names of the programs that a command may run there.
std::optional<sandbox::Profile> reading_profile(const Build& build, const config::Plugin& settings,
                                                const Offer& offer,
                                                const std::vector<std::string>& programs);

}  // namespace host::plugin
