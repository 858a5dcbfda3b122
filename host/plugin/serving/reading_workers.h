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

// Returns true if the sandbox can limit the plugin to reading: the plugin declares each of its
// tools as read-only, and the host trusts these declarations. An interceptor without tools keeps
// the rights that the operator grants, because no tool says that the interceptor's functions only
// read.
bool only_reads(const Manifest& manifest, const Offer& offer);

// Returns the profile of separate workers for read-only calls, or nullopt if these calls share the
// workers of other calls. If split_read_only is not set, only plugins that run commands (programs)
// get separate workers for read-only calls. Without a sandbox, the programs of a read-only command
// could write. By default, there are no separate workers for plugins that hand over state, and none
// on hosts without Landlock. `programs` are the names of the programs that a command may run in the
// separate workers.
std::optional<sandbox::Profile> reading_profile(const Build& build, const config::Plugin& settings,
                                                const Offer& offer,
                                                const std::vector<std::string>& programs);

}  // namespace host::plugin
