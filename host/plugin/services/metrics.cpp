#include "plugin/services/metrics.h"

#include <toolpost/ext/metrics.h>
#include <boost/asio/steady_timer.hpp>

#include <chrono>

#include "base/log.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

// From one report of an instance to its next: an instance sends none before the last is answered.
constexpr std::chrono::milliseconds kPause{250};

metrics::Kind kind_of(std::uint32_t kind) {
  if (kind == TP_METRIC_COUNTER) return metrics::Kind::Counter;
  return kind == TP_METRIC_GAUGE ? metrics::Kind::Gauge : metrics::Kind::Histogram;
}

std::string key_of(const std::string& plugin, const Metric& metric, const Measured& one) {
  std::string key = plugin + '\0';
  for (std::size_t i = 0; i < one.labels.size(); ++i) {
    key += metric.labels[i] + '\0' + one.labels[i] + '\0';
  }
  return key;
}

// Answers after the pause, or at once where the instance goes.
void answer_later(const asio::any_io_executor& io, const std::shared_ptr<ServiceCall>& asked) {
  struct Pause {
    explicit Pause(const asio::any_io_executor& io) : timer(io, kPause) {}
    asio::steady_timer timer;
    Cancel::Registration cancelled;
  };
  const auto pause = std::make_shared<Pause>(io);
  pause->cancelled = asked->cancel->on_cancel([timer = &pause->timer] { timer->cancel(); });
  pause->timer.async_wait([pause, asked](boost::system::error_code) {
    pause->cancelled.reset();
    asked->answer({});
  });
}

}  // namespace

void MetricsService::offer_in(ServiceTable& table) {
  table.add(ServiceId::ReportMetrics, [this](const std::shared_ptr<ServiceCall>& asked) {
    const std::optional<Report> report = read_report(asked->bytes);
    drop(asked->plugin, report ? take(asked->plugin, *report) : 1);
    answer_later(io_, asked);
  });
}

// Returns the number of values that are dropped.
std::uint64_t MetricsService::take(const std::string& plugin, const Report& report) {
  std::uint64_t dropped = 0;
  for (const Measurement& measurement : report) {
    for (const Measured& one : measurement.series) {
      if (!take(plugin, measurement.metric, one)) ++dropped;
    }
  }
  return dropped;
}

// One warning for each plugin: a worker can send reports for ever.
void MetricsService::drop(const std::string& plugin, std::uint64_t values) {
  const std::uint64_t before = std::exchange(used_[plugin].dropped, used_[plugin].dropped + values);
  if (before > 0 || values == 0) return;
  log::warning("plugin",
               "some of its metrics are not shown: it has too many, another plugin has a name for "
               "another kind, or a report is malformed",
               {{"plugin", plugin}});
}

MetricsService::Shown MetricsService::fresh_series(const std::string& plugin, const Metric& metric,
                                                   const Measured& one) {
  Shown shown{{{"plugin", plugin}}, metric.bounds, {}};
  shown.numbers.below.resize(metric.bounds.size());
  for (std::size_t i = 0; i < one.labels.size(); ++i)
    shown.labels.emplace_back(metric.labels[i], one.labels[i]);
  return shown;
}

// False: it is dropped.
bool MetricsService::take(const std::string& plugin, const Metric& metric, const Measured& one) {
  const std::string key = key_of(plugin, metric, one);
  Shown* shown = nullptr;
  if (const auto family = families_.find(metric.name); family != families_.end()) {
    if (family->second.kind != metric.kind) return false;
    const auto at = family->second.series.find(key);
    if (at != family->second.series.end()) shown = &at->second;
  }
  if (shown == nullptr ||
      shown->bounds != metric.bounds) {  // new, or a new build has other buckets
    std::size_t& lines = used_[plugin].lines;
    const std::size_t freed = shown ? shown->lines() : 0;
    // Nothing is kept of what is dropped, also not the name: a plugin can send new names for ever.
    if (lines - freed + metric.lines() > kMostMetricLines) return false;
    lines += metric.lines() - freed;
    Family& family =
        families_.try_emplace(metric.name, Family{metric.kind, metric.help, {}}).first->second;
    shown = &(family.series[key] = fresh_series(plugin, metric, one));
  }
  metrics::Series& numbers = shown->numbers;
  if (one.set) numbers.value = *one.set;
  numbers.value += one.added;
  numbers.count += one.count;
  for (std::size_t i = 0; i < one.below.size(); ++i) numbers.below[i] += one.below[i];
  return true;
}

void MetricsService::add_to(metrics::Page& page) const {
  for (const auto& [name, family] : families_) {
    page.family("plugin_" + name, kind_of(family.kind), family.help);
    for (const auto& [key, one] : family.series) {
      const metrics::Page::Labels labels(one.labels.begin(), one.labels.end());
      if (family.kind == TP_METRIC_HISTOGRAM) {
        page.histogram(labels, one.bounds, one.numbers);
      } else {
        page.sample(labels, one.numbers.value);
      }
    }
  }
  page.family("toolpost_plugin_metrics_dropped_total", metrics::Kind::Counter,
              "What a plugin counted and is not shown: too much, or under a name of another kind.");
  for (const auto& [plugin, used] : used_) {
    page.sample({{"plugin", plugin}}, static_cast<double>(used.dropped));
  }
}

}  // namespace host::plugin
