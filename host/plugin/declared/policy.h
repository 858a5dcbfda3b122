// What the configuration makes of a plugin's declarations: the tools that the host will offer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "plugin/declared/manifest.h"
#include "tool/catalog.h"
#include "tool/tool.h"

namespace host::plugin {

struct Offer {
  std::vector<std::shared_ptr<const tool::Tool>> tools;
  std::vector<tool::Refusal> notes;  // overrides that fit no tool, names that were changed
};

// `name` is the plugin's own, for its limits: all its generations share them. A declaration that is
// refused refuses the plugin. A tool whose name is `taken` gets another; null: it keeps its name,
// and the catalog will refuse it.
using Taken = std::function<bool(const std::string& tool)>;
Result<Offer> make_offer(const std::string& name, const Manifest& manifest,
                         const config::Plugin& settings, const Taken& taken = nullptr);

// The name that a tool gets where its own is taken and `plugins.on_conflict` is "namespace": its
// class's prefix, the plugin, the rest.
std::string namespaced(const std::string& plugin, const std::string& tool);

}  // namespace host::plugin
