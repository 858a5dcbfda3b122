// Decides what a reload of config.toml applies. An edit is not applied by halves: an upstream or a
// rule of the edit may rely on a restriction that only a restart brings.
#pragma once

#include "config/config.h"

namespace host::config {

// Returns the configuration that is in effect after a host with `current` has read `file`. This is
// `current` with the live keys of `file` (difference.h). If the file also changes a key that needs
// a restart and can decide what callers may do, then new and changed upstreams and all rules of
// the file wait for the restart too. Upstreams that are not in the file go in any case.
Config after_reload(const Config& current, const Config& file);

}  // namespace host::config
