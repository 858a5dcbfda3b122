// Decides whether read-only calls have separate workers, and which profile these workers have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "plugin/declared/manifest.h"
#include "plugin/declared/policy.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

// Returns true if the sandbox can limit the plugin to reading, because each of its tools is
// read-only and the host trusts this claim. An interceptor without tools keeps the rights that the
// operator grants, because no tool says that the interceptor's functions only read.
bool only_reads(const Manifest& manifest, const Offer& offer);

// Returns the profile of separate workers for read-only calls, or nullopt if these calls share the
// workers of other calls. If split_read_only is not set, only plugins that run commands get
// separate workers for read-only calls. Only a sandbox can prevent that the programs of such a
// command write. By default, plugins that hand over state and hosts without Landlock have no
// separate workers. `programs` are the names of the programs that a command may run in the separate
// workers.
std::optional<sandbox::Profile> reading_profile(const Build& build, const config::Plugin& settings,
                                                const Offer& offer,
                                                const std::vector<std::string>& programs);

}  // namespace host::plugin
