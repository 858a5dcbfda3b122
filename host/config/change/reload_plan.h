// Decides what a reload of config.toml applies. An edit is not applied by halves: an upstream or a
// rule of the edit may rely on a restriction that only a restart brings.
#pragma once

#include "config/config.h"

namespace host::config {

struct ReloadPlan {
  Config now;      // in effect after the reload
  Config settled;  // from which the next reload is planned
};

// Plans what a host does that has read `file`. `settled` is the configuration of the host's start,
// or ReloadPlan::settled of the last plan. `now` is `settled` with the live keys of `file`
// (difference.h). If the file also changes a key that needs a restart and can decide what callers
// may do, then new and changed upstreams and allow rules of the file wait for the restart too, and
// so does the removal of a deny or ask rule. What the file takes away does not wait: its new deny
// and ask rules are added, an allow rule or an upstream that is not in the file goes, and an
// upstream's section is narrowed. A later file can take this back, because `settled` does not have
// it.
ReloadPlan plan_reload(const Config& settled, const Config& file);

}  // namespace host::config
