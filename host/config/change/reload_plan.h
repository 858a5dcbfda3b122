// Decides what a reload of config.toml applies. A part of an edit can wait for a restart of the
// host. For example, an upstream or a rule of the edit may rely on a restriction that needs the
// restart.
#pragma once

#include "config/config.h"

namespace host::config {

struct ReloadPlan {
  Config now;      // the configuration in effect after the reload
  Config settled;  // the configuration from which the next reload is planned
};

// Plans what a host does after it has read `file`. `settled` is the configuration of the host's
// start, or ReloadPlan::settled of the last plan. `now` is `settled` with the live keys of `file`
// (difference.h). If the file changes a key that needs a restart and can decide what callers may
// do, some other changes wait for the restart too. These changes are new and changed upstreams, new
// allow rules, and removals of deny and ask rules. Restrictions do not wait for the restart. The
// host at once adds new deny and ask rules, removes allow rules and upstreams that are not in the
// file, and narrows the sections of upstreams. A later file can undo a restriction, because
// `settled` does not have the restriction.
ReloadPlan plan_reload(const Config& settled, const Config& file);

}  // namespace host::config
