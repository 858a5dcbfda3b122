#include "plugin/serving/plugin_metrics.h"

#include <utility>

namespace host::plugin {

using metrics::Kind;

PluginMetrics::PluginMetrics(std::shared_ptr<metrics::Registry> registry)
    : registry_(std::move(registry)),
      builds_(registry_->add(
          {"toolpost_plugin_builds_total",
           Kind::Counter,
           "Builds of a plugin that were looked at: accepted, refused, or rolled back.",
           {"plugin", "outcome"},
           {}})),
      workers_(registry_->add({"toolpost_plugin_workers_started_total",
                               Kind::Counter,
                               "Worker processes that came up for a plugin.",
                               {"plugin"},
                               {}})),
      crashes_(registry_->add({"toolpost_plugin_crashes_total",
                               Kind::Counter,
                               "Worker processes of a plugin that crashed.",
                               {"plugin"},
                               {}})) {}

void PluginMetrics::build_tried(const std::string& plugin, std::string_view outcome) {
  builds_.ensure({plugin, outcome}).value += 1;
}

void PluginMetrics::worker_started(const std::string& plugin) {
  workers_.ensure({plugin}).value += 1;
}

void PluginMetrics::crashed(const std::string& plugin) {
  crashes_.ensure({plugin}).value += 1;
}

}  // namespace host::plugin
