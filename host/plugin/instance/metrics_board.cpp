#include "plugin/instance/metrics_board.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "plugin/instance/abi_text.h"

namespace host::plugin {
namespace {

constexpr double kSeconds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

bool all_readable(tp_strs texts) {
  return texts.count == 0 || texts.items != nullptr;
}

std::optional<Metric> read(const tp_metric& from) {
  const bool whole = TP_HAS(tp_metric, &from, bound_count) && plugin::readable(from.name) &&
                     plugin::readable(from.help) && all_readable(from.labels) &&
                     from.labels.count <= kMostMetricLabels &&
                     from.bound_count <= kMostMetricBounds && (from.bounds || !from.bound_count);
  if (!whole || from.help.len > kMostMetricHelp) return std::nullopt;
  Metric metric;
  metric.kind = from.kind;
  metric.name = view(from.name).substr(0, 256);
  metric.help = view(from.help);
  for (std::uint64_t i = 0; i < from.labels.count; ++i) {
    if (!plugin::readable(from.labels.items[i])) return std::nullopt;
    metric.labels.emplace_back(view(from.labels.items[i]).substr(0, 256));
  }
  metric.bounds.assign(from.bounds, from.bounds + from.bound_count);
  if (metric.kind == TP_METRIC_HISTOGRAM && metric.bounds.empty()) {
    metric.bounds.assign(std::begin(kSeconds), std::end(kSeconds));
  }
  if (!metric.sound()) return std::nullopt;
  return metric;
}

bool fits(MetricsBoard::Act act, std::uint32_t kind, double value) {
  if (!std::isfinite(value)) return false;
  switch (act) {
    case MetricsBoard::Act::Add:
      return (kind == TP_METRIC_COUNTER && value >= 0) || kind == TP_METRIC_GAUGE;
    case MetricsBoard::Act::Set:
      return kind == TP_METRIC_GAUGE;
    case MetricsBoard::Act::Observe:
      return kind == TP_METRIC_HISTOGRAM;
  }
  return false;
}

}  // namespace

tp_status MetricsBoard::declare(const tp_metric& from, std::uint32_t& number) {
  std::optional<Metric> metric = read(from);
  if (!metric) return TP_E_INVALID;
  std::unique_lock lock(mutex_);
  const auto same = [&](const Known& one) { return one.metric.name == metric->name; };
  const auto at = std::find_if(known_.begin(), known_.end(), same);
  if (at != known_.end() && at->metric != *metric) return TP_E_INVALID;
  number = static_cast<std::uint32_t>(at - known_.begin()) + 1;
  if (at != known_.end()) return TP_OK;
  if (known_.size() >= kMostMetrics) return TP_E_NOMEM;
  Known& known = known_.emplace_back(Known{*std::move(metric), {}, false});
  if (!known.metric.labels.empty()) return TP_OK;
  if (Series* const only = make(known, {}, {})) only->fresh = known.fresh = true;
  send(lock);
  return TP_OK;
}

tp_status MetricsBoard::measure(Act act, std::uint32_t number, tp_strs labels, double value) {
  std::unique_lock lock(mutex_);
  if (number == 0 || number > known_.size() || !all_readable(labels)) return TP_E_INVALID;
  Known& known = known_[number - 1];
  if (labels.count != known.metric.labels.size() || !fits(act, known.metric.kind, value)) {
    return TP_E_INVALID;
  }
  for (std::uint64_t i = 0; i < labels.count; ++i) {
    const tp_str label = labels.items[i];
    if (!plugin::readable(label) || !is_metric_value(view(label))) return TP_E_INVALID;
  }
  if (unwanted_) return TP_E_UNSUPPORTED;
  if (closed_) return TP_E_BUSY;
  Series* const series = find(known, labels);
  if (!series) return TP_E_NOMEM;
  if (act != Act::Set && !std::isfinite(series->since.added + value)) return TP_E_INVALID;
  series->fresh = known.fresh = true;
  Measured& since = series->since;
  if (act == Act::Observe) {
    since.observe(value, known.metric.bounds);
  } else if (act == Act::Set) {
    since.set = value;
    since.added = 0;
  } else {
    since.added += value;
  }
  send(lock);
  return TP_OK;
}

MetricsBoard::Series* MetricsBoard::find(Known& known, tp_strs labels) {
  key_.clear();
  for (std::uint64_t i = 0; i < labels.count; ++i) {
    key_ += view(labels.items[i]);
    key_ += '\0';
  }
  const auto at = known.series.find(key_);
  if (at != known.series.end()) return &at->second;
  std::vector<std::string> values;
  for (std::uint64_t i = 0; i < labels.count; ++i) values.emplace_back(view(labels.items[i]));
  return make(known, key_, std::move(values));
}

MetricsBoard::Series* MetricsBoard::make(Known& known, std::string key,
                                         std::vector<std::string> labels) {
  if (lines_ + known.metric.lines() > kMostMetricLines) return nullptr;
  lines_ += known.metric.lines();
  Series& series = known.series[std::move(key)];
  series.since.labels = std::move(labels);
  series.since.below.resize(known.metric.bounds.size());
  return &series;
}

std::string MetricsBoard::take() {
  Report report;
  for (Known& known : known_) {
    if (!std::exchange(known.fresh, false)) continue;
    Measurement& measurement = report.emplace_back(Measurement{known.metric, {}});
    for (auto& [key, series] : known.series) {
      if (!std::exchange(series.fresh, false)) continue;
      measurement.series.push_back(series.since);
      Measured& since = series.since;
      since.set.reset();
      since.added = 0;
      since.count = 0;
      std::fill(since.below.begin(), since.below.end(), 0);
    }
  }
  std::string bytes;
  if (!report.empty()) write_report(bytes, report);
  return bytes;
}

// Lets go of the lock where there is something to send.
void MetricsBoard::send(std::unique_lock<std::mutex>& lock) {
  if (!open_ || closed_ || on_way_ || unwanted_) return;
  std::string report = take();
  if (report.empty()) return;
  on_way_ = true;
  lock.unlock();
  if (send_(std::move(report))) return;
  lock.lock();
  unwanted_ = true;
}

void MetricsBoard::open() {
  std::unique_lock lock(mutex_);
  open_ = true;
  send(lock);
}

void MetricsBoard::heard(tp_status taken) {
  std::unique_lock lock(mutex_);
  on_way_ = false;
  unwanted_ |= taken == TP_E_UNSUPPORTED;
  send(lock);
}

void MetricsBoard::close() {
  std::unique_lock lock(mutex_);
  on_way_ = false;  // the last does not wait for the one before
  std::string report = open_ && !closed_ && !unwanted_ ? take() : std::string();
  closed_ = true;
  lock.unlock();
  if (!report.empty()) send_(std::move(report));
}

}  // namespace host::plugin
