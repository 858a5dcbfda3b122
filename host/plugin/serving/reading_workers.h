// Whether calls that only read have workers of their own, and what these may touch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "plugin/declared/policy.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

// None: they run where the others do. Where the configuration does not say, commands have such
// workers: nothing but the sandbox holds the programs that they run to reading. `programs` are
// those that a command may run there, by name.
std::optional<sandbox::Profile> reading_profile(const Build& build, const config::Plugin& settings,
                                                const Offer& offer,
                                                const std::vector<std::string>& programs);

}  // namespace host::plugin
