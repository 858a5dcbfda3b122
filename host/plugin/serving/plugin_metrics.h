// Counts the outcomes of builds and workers, for all plugins of a host. The functions of this
// header are called on the I/O thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "metrics/registry.h"

namespace host::plugin {

class PluginMetrics {
 public:
  explicit PluginMetrics(std::shared_ptr<metrics::Registry> registry);

  // `outcome` is "accepted", "refused" or "rolled_back".
  void build_tried(const std::string& plugin, std::string_view outcome);
  void worker_started(const std::string& plugin);
  void crashed(const std::string& plugin);

 private:
  const std::shared_ptr<metrics::Registry> registry_;
  metrics::Family& builds_;
  metrics::Family& workers_;
  metrics::Family& crashes_;
};

}  // namespace host::plugin
