// The parts of the host that are needed to load its plugins. The parts are used on the I/O thread
// only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "plugin/file/manifest_cache.h"
#include "plugin/file/staging.h"
#include "plugin/lifecycle/plugin_host.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

struct Loader {
  std::shared_ptr<Surroundings> around;
  Options options;
  tool::Catalog& catalog;
  std::optional<Staging> staging;
  std::string no_staging;  // the reason why there is no staging folder
  std::optional<ManifestCache> manifests;
  bool stopping = false;
};

}  // namespace host::plugin
