// One metric of a plugin: its declaration, its limits, and the values of one report from the
// plugin's process to the host. Workers and inline plugins use the same code for metrics. The host
// does not trust the values of a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::plugin {

// The limits of tp.metrics/1 (ext/metrics.h):
constexpr std::size_t kMostMetrics = 64;
constexpr std::size_t kMostMetricLines = 2000;
constexpr std::size_t kMostMetricLabels = 4;
constexpr std::size_t kMostMetricHelp = 256;
constexpr std::size_t kMostMetricValue = 128;  // maximum size of a label's value
constexpr std::size_t kMostMetricBounds = 24;

// Returns the number of lines that one series has in the text format of Prometheus.
inline std::size_t metric_lines(std::size_t bounds) {
  return bounds == 0 ? 1 : bounds + 3;
}

struct Metric {
  std::uint32_t kind = 0;  // TP_METRIC_...
  std::string name;
  std::string help;
  std::vector<std::string> labels;
  std::vector<double> bounds;

  bool operator==(const Metric&) const = default;

  bool sound() const;  // true if the metric has the shape that ext/metrics.h describes
  std::size_t lines() const { return metric_lines(bounds.size()); }
};

bool is_metric_value(std::string_view label);

// The changes of one series since the last report.
struct Measured {
  std::vector<std::string> labels;   // label values
  std::optional<double> set;         // a gauge's new value, to which `added` is added
  double added = 0;                  // for a histogram: the sum of the values
  std::uint64_t count = 0;           // for a histogram: the number of values
  std::vector<std::uint64_t> below;  // of a histogram: a count for each bound, not cumulative

  void observe(double value, const std::vector<double>& bounds);
  // True if the values are valid for this metric.
  bool sound_for(const Metric& metric) const;
};

struct Measurement {
  Metric metric;
  std::vector<Measured> series;
};
using Report = std::vector<Measurement>;

void write_report(std::string& out, const Report& report);
// Returns nullopt if the report is malformed or exceeds the limits.
std::optional<Report> read_report(std::string_view bytes);

}  // namespace host::plugin
