// Finds out which keys of a changed configuration file a running host can apply. Some keys are
// live: the host applies a changed live key when it reloads the file. The live keys are the keys
// that keys.h marks as `live`, each [[upstream]], and each rule. A change of any other key needs a
// restart of the host.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace host::config {

struct Difference {
  std::string key;    // "limits.tasks", "plugin.shell.workers", "upstream.files", "rule"
  bool live = false;  // a reload applies it

  bool operator==(const Difference&) const = default;
};

// Returns the keys whose values differ, in the order of the shipped file. If only one of the two
// configurations has a section, such as an upstream, the function returns the whole section as one
// key.
std::vector<Difference> differences(const Config& before, const Config& after);

// Returns `running` with the live keys of `file`: the configuration that is in effect after a
// reload. If an agent is only in `file`, the agent and its rules need a restart of the host.
Config with_live_keys(const Config& running, const Config& file);

}  // namespace host::config
