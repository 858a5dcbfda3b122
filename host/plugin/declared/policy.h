// Applies the configuration and the side file to a plugin's declarations, and makes the list of
// tools that the host will offer.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "plugin/declared/manifest.h"
#include "plugin/declared/narrowing.h"
#include "tool/definition/tool.h"
#include "tool/provider/catalog.h"

namespace host::plugin {

struct Offer {
  std::vector<std::shared_ptr<const tool::Tool>> tools;
  std::vector<tool::Refusal> notes;  // about overrides that match no tool, and about changed names
};

// Makes the tools of a plugin. `name` is the plugin's name, and also the key of the plugin's limits
// (tool::Limit), so that all generations of the plugin share the limits. If the function refuses
// one declaration of a tool, it refuses the whole plugin. If `taken` returns true for a tool's
// name, the tool gets a different name. If `taken` is null, no tool gets a different name, and the
// catalog refuses names that another provider has.
//
// The function runs on the I/O thread, and compiles all schemas. A plugin whose schemas need more
// than 2 s of CPU time is refused. `clock` returns the CPU time of this thread. If `clock` is null,
// the function uses thread_cpu_time() of json/schema/time_budget.h.
using Taken = std::function<bool(const std::string& tool)>;
using CpuClock = std::function<std::chrono::nanoseconds()>;
Result<Offer> make_offer(const std::string& name, const Manifest& manifest, const Terms& terms,
                         const Taken& taken = nullptr, const CpuClock& clock = nullptr);
// Makes the tools of a plugin that has no side file.
Result<Offer> make_offer(const std::string& name, const Manifest& manifest,
                         const config::Plugin& settings, const Taken& taken = nullptr);

// Returns the new name for a tool whose name another provider has, if `plugins.on_conflict` is
// "namespace". The new name consists of the prefix of the tool's class (such as priv_), the
// plugin's name, and the rest of the tool's name.
std::string namespaced(const std::string& plugin, const std::string& tool);

}  // namespace host::plugin
