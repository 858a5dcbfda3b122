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
    if (const auto report = read_report(asked->bytes)) {
      take(*asked, *report);
    } else {
      log::warning("plugin", "a report of its metrics is malformed", {{"plugin", asked->plugin}});
    }
    answer_later(io_, asked);
  });
}

void MetricsService::take(const ServiceCall& asked, const Report& report) {
  std::uint64_t& dropped = used_[asked.plugin].dropped;
  const bool none_before = dropped == 0;
  for (const Measurement& measurement : report) {
    for (const Measured& one : measurement.series) {
      if (!take(asked.plugin, measurement.metric, one)) ++dropped;
    }
  }
  if (none_before && dropped > 0) {
    log::warning("plugin",
                 "some of its metrics are not shown: it has too many, or another plugin has a "
                 "name for another kind",
                 {{"plugin", asked.plugin}});
  }
}

// False: it is dropped.
bool MetricsService::take(const std::string& plugin, const Metric& metric, const Measured& one) {
  const auto [family, fresh] =
      families_.try_emplace(metric.name, Family{metric.kind, metric.help, {}});
  if (family->second.kind != metric.kind) return false;
  auto& all = family->second.series;
  const std::string key = key_of(plugin, metric, one);
  auto at = all.find(key);
  if (at != all.end() && at->second.bounds != metric.bounds) {  // a new build has other buckets
    used_[plugin].lines -= at->second.bounds.empty() ? 1 : at->second.bounds.size() + 3;
    all.erase(at);
    at = all.end();
  }
  if (at == all.end()) {
    std::size_t& lines = used_[plugin].lines;
    if (lines + metric.lines() > kMostMetricLines) return false;
    lines += metric.lines();
    at = all.emplace(key, Shown{{{"plugin", plugin}}, metric.bounds, {}}).first;
    at->second.numbers.below.resize(metric.bounds.size());
    for (std::size_t i = 0; i < one.labels.size(); ++i) {
      at->second.labels.emplace_back(metric.labels[i], one.labels[i]);
    }
  }
  metrics::Series& numbers = at->second.numbers;
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
