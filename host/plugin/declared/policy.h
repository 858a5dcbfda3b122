// Applies the configuration to a plugin's declarations. The result is the list of tools that the
// host will offer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "plugin/declared/manifest.h"
#include "tool/definition/tool.h"
#include "tool/provider/catalog.h"

namespace host::plugin {

struct Offer {
  std::vector<std::shared_ptr<const tool::Tool>> tools;
  std::vector<tool::Refusal> notes;  // overrides without a tool, and changed names
};

// `name` is the plugin's name, for its limits, which all its generations share. If one declaration
// is refused, the plugin is refused. If `taken` returns true for a tool's name, the tool gets a
// different name. Null: every tool keeps its name, and the catalog refuses names that are taken.
using Taken = std::function<bool(const std::string& tool)>;
Result<Offer> make_offer(const std::string& name, const Manifest& manifest,
                         const config::Plugin& settings, const Taken& taken = nullptr);

// The new name of a tool if its name is taken and `plugins.on_conflict` is "namespace": the prefix
// of its class, the plugin's name, and the rest of its name.
std::string namespaced(const std::string& plugin, const std::string& tool);

}  // namespace host::plugin
