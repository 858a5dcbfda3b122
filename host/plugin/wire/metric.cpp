#include "plugin/wire/metric.h"

#include <toolpost/ext/metrics.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text/encoding.h"
#include "plugin/wire/frame.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostNameBytes = 64;
// Counts stay exact where they become doubles.
constexpr std::uint64_t kMostCounted = 1ull << 53u;

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= kMostNameBytes && text[0] >= 'a' && text[0] <= 'z' &&
         std::all_of(text.begin(), text.end(), fits);
}

// So that no line of one metric can be taken for one of another.
bool ends_as(std::uint32_t kind, std::string_view name) {
  if (kind == TP_METRIC_COUNTER) return name.ends_with("_total");
  return !name.ends_with("_total") && !name.ends_with("_count") && !name.ends_with("_sum") &&
         !name.ends_with("_bucket");
}

bool are_labels(const std::vector<std::string>& labels) {
  if (labels.size() > kMostMetricLabels) return false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool own = labels[i] == "plugin" || labels[i] == "le";
    const auto before = labels.begin() + static_cast<std::ptrdiff_t>(i);
    if (own || !is_name(labels[i]) || std::find(labels.begin(), before, labels[i]) != before)
      return false;
  }
  return true;
}

bool are_bounds(const std::vector<double>& bounds) {
  if (bounds.size() > kMostMetricBounds) return false;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!std::isfinite(bounds[i]) || (i > 0 && bounds[i] <= bounds[i - 1])) return false;
  }
  return true;
}

}  // namespace

bool Metric::sound() const {
  if (kind < TP_METRIC_COUNTER || kind > TP_METRIC_HISTOGRAM) return false;
  if ((kind == TP_METRIC_HISTOGRAM) == bounds.empty()) return false;
  return is_name(name) && ends_as(kind, name) && help.size() <= kMostMetricHelp && is_utf8(help) &&
         are_labels(labels) && are_bounds(bounds);
}

bool is_metric_value(std::string_view label) {
  return label.size() <= kMostMetricValue && label.find('\0') == std::string_view::npos &&
         is_utf8(label);
}

void Measured::observe(double value, const std::vector<double>& bounds) {
  added += value;
  ++count;
  const auto at = std::lower_bound(bounds.begin(), bounds.end(), value);
  if (at != bounds.end()) ++below[static_cast<std::size_t>(at - bounds.begin())];
}

bool Measured::sound_for(const Metric& metric) const {
  if (labels.size() != metric.labels.size() || !std::isfinite(added)) return false;
  if (!std::all_of(labels.begin(), labels.end(), is_metric_value)) return false;
  if (set && (metric.kind != TP_METRIC_GAUGE || !std::isfinite(*set))) return false;
  if (metric.kind == TP_METRIC_COUNTER && added < 0) return false;
  if (below.size() != metric.bounds.size() || count > kMostCounted) return false;
  const auto within = [this](std::uint64_t one) { return one <= count; };
  return std::all_of(below.begin(), below.end(), within) &&
         std::accumulate(below.begin(), below.end(), std::uint64_t{0}) <= count;
}

namespace {

void write_metric(BodyWriter& body, const Metric& metric) {
  body.u32(metric.kind).text(metric.name).text(metric.help);
  body.u32(static_cast<std::uint32_t>(metric.labels.size()));
  for (const std::string& label : metric.labels) body.text(label);
  body.u32(static_cast<std::uint32_t>(metric.bounds.size()));
  for (const double bound : metric.bounds) body.f64(bound);
}

std::optional<Metric> read_metric(BodyReader& body) {
  Metric metric;
  metric.kind = body.u32();
  metric.name = body.text();
  metric.help = body.text();
  const std::uint32_t labels = body.u32();
  if (!body.ok() || labels > kMostMetricLabels) return std::nullopt;
  for (std::uint32_t i = 0; i < labels; ++i) metric.labels.emplace_back(body.text());
  const std::uint32_t bounds = body.u32();
  if (!body.ok() || bounds > kMostMetricBounds) return std::nullopt;
  for (std::uint32_t i = 0; i < bounds; ++i) metric.bounds.push_back(body.f64());
  if (!body.ok() || !metric.sound()) return std::nullopt;
  return metric;
}

void write_measured(BodyWriter& body, const Measured& one) {
  for (const std::string& value : one.labels) body.text(value);
  body.u32(one.set ? 1 : 0).f64(one.set.value_or(0)).f64(one.added).u64(one.count);
  for (const std::uint64_t count : one.below) body.u64(count);
}

std::optional<Measured> read_measured(BodyReader& body, const Metric& metric) {
  Measured one;
  for (std::size_t i = 0; i < metric.labels.size(); ++i) one.labels.emplace_back(body.text());
  const bool was_set = body.u32() != 0;
  const double set = body.f64();
  if (was_set) one.set = set;
  one.added = body.f64();
  one.count = body.u64();
  for (std::size_t i = 0; i < metric.bounds.size(); ++i) one.below.push_back(body.u64());
  if (!body.ok() || !one.sound_for(metric)) return std::nullopt;
  return one;
}

}  // namespace

void write_report(std::string& out, const Report& report) {
  BodyWriter body(out);
  body.u32(static_cast<std::uint32_t>(report.size()));
  for (const Measurement& measurement : report) {
    write_metric(body, measurement.metric);
    body.u32(static_cast<std::uint32_t>(measurement.series.size()));
    for (const Measured& one : measurement.series) write_measured(body, one);
  }
}

std::optional<Report> read_report(std::string_view bytes) {
  BodyReader body(bytes);
  const std::uint32_t metrics = body.u32();
  if (!body.ok() || metrics > kMostMetrics) return std::nullopt;
  Report report;
  for (std::uint32_t i = 0; i < metrics; ++i) {
    auto metric = read_metric(body);
    const std::uint32_t series = body.u32();
    if (!metric || !body.ok() || series > kMostMetricLines) return std::nullopt;
    Measurement& measurement = report.emplace_back(Measurement{*std::move(metric), {}});
    for (std::uint32_t j = 0; j < series; ++j) {
      auto one = read_measured(body, measurement.metric);
      if (!one) return std::nullopt;
      measurement.series.push_back(*std::move(one));
    }
  }
  if (!body.done()) return std::nullopt;
  return report;
}

}  // namespace host::plugin
