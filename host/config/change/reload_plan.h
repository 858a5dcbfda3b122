// Decides what a reload of config.toml applies. Some changes in an edited configuration file wait
// until the host restarts.
#pragma once

#include "config/config.h"

namespace host::config {

struct ReloadPlan {
  Config now;      // the configuration in effect after the reload
  Config settled;  // the configuration from which the next reload is planned
};

// Plans what a host does after it has read `file`. `settled` is the configuration of the host's
// start, or ReloadPlan::settled of the last plan. ReloadPlan::now is `settled`, but with the live
// keys of `file` (difference.h). If the file changes a key that needs a restart and that affects
// what callers may do, some live keys wait for the restart too. New and changed upstreams, new
// allow rules, and removals of deny and ask rules wait for the restart. The host immediately adds
// new deny and ask rules, removes allow rules and upstreams that are not in the file, and narrows
// the sections of upstreams. A later version of the file can undo a restriction, because `settled`
// does not contain the restriction.
ReloadPlan plan_reload(const Config& settled, const Config& file);

}  // namespace host::config
