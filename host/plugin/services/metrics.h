// The host's side of tp.metrics/1. The service checks plugins' values against their limits, and
// writes the values for Prometheus. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "metrics/page.h"
#include "plugin/services/service_table.h"
#include "plugin/wire/metric.h"

namespace host::plugin {

class MetricsService {
 public:
  explicit MetricsService(boost::asio::any_io_executor io) : io_(std::move(io)) {}

  void offer_in(ServiceTable& table);

  void add_to(metrics::Page& page) const;

 private:
  // One series of a metric of one plugin.
  struct Shown {
    std::vector<std::pair<std::string, std::string>> labels;
    std::vector<double> bounds;
    metrics::Series numbers;

    std::size_t lines() const { return metric_lines(bounds.size()); }
  };
  struct Family {
    std::uint32_t kind = 0;
    std::string help;
    std::map<std::string, Shown> series;  // by plugin and labels
  };
  struct Used {
    std::size_t lines = 0;
    std::uint64_t dropped = 0;  // number of dropped values and of malformed reports
  };

  static Shown fresh_series(const std::string& plugin, const Metric& metric, const Measured& one);
  std::uint64_t take(const std::string& plugin, const Report& report);
  void drop(const std::string& plugin, std::uint64_t values);
  bool take(const std::string& plugin, const Metric& metric, const Measured& one);

  const boost::asio::any_io_executor io_;
  std::map<std::string, Family> families_;  // by the metric's name
  std::map<std::string, Used> used_;        // by the plugin's name
};

}  // namespace host::plugin
