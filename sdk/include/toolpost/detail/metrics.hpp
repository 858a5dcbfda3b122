// metrics.hpp defines metrics for the operator's Prometheus (tp.metrics/1), as members of a
// plugin's class:
//
//   toolpost::metrics::Counter<"bread"> sold_{host, "loaves_sold_total", "Loaves that were sold"};
//   sold_.add(2, "rye");
//
// The labels of a metric are part of its type. Each call of add(), set() or observe() takes one
// text for each label. The constructor of a metric throws std::invalid_argument if tp.metrics/1
// refuses the name or a label. If the constructor of a metric throws, the host refuses the
// instance. If metrics are off in the host's configuration, the functions of metric objects do
// nothing. Metric objects can be copied cheaply. Any thread may use metric objects until the
// instance is destroyed.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "toolpost/detail/codec.hpp"
#include "toolpost/detail/context.hpp"
#include "toolpost/ext/metrics.h"

namespace toolpost {
inline namespace v1 {
namespace metrics {

template <FixedText... Labels>
class Metric {
 public:
  template <class... Values>
  static constexpr bool takes = sizeof...(Values) == sizeof...(Labels) &&
                                (std::convertible_to<const Values&, std::string_view> && ...);

 protected:
  Metric(Host host, std::uint32_t kind, std::string_view name, std::string_view help,
         const std::vector<double>& bounds = {})
      : api_(host.extension<tp_metrics_api>(TP_EXT_METRICS)), host_(host.id()) {
    if (api_ == nullptr) return;
    const std::array<tp_str, sizeof...(Labels)> labels = {v1::detail::str(Labels.view())...};
    tp_metric metric{};
    metric.struct_size = sizeof metric;
    metric.kind = kind;
    metric.name = v1::detail::str(name);
    metric.help = v1::detail::str(help);
    metric.labels = {labels.data(), labels.size()};
    metric.bounds = bounds.data();
    metric.bound_count = bounds.size();
    const tp_status status = api_->declare(host_, &metric, &number_);
    if (status == TP_OK) return;
    throw std::invalid_argument(
        "the metric \"" + std::string(name) + "\" " +
        (status == TP_E_NOMEM ? "is one too many" : "is not formed as tp.metrics/1 wants it"));
  }

  using Act = tp_status (*tp_metrics_api::*)(tp_host*, std::uint32_t, tp_strs, double);

  template <class... Values>
  void tell(Act act, double value, const Values&... values) const {
    if (api_ == nullptr) return;
    const std::array<tp_str, sizeof...(Values)> labels = {v1::detail::str(values)...};
    (api_->*act)(host_, number_, {labels.data(), labels.size()}, value);
  }

 private:
  const tp_metrics_api* api_;
  tp_host* host_;
  std::uint32_t number_ = 0;
};

// A counter: a value that only grows. The name of a counter must end in _total.
template <FixedText... Labels>
class Counter : public Metric<Labels...> {
 public:
  Counter(Host host, std::string_view name, std::string_view help)
      : Metric<Labels...>(host, TP_METRIC_COUNTER, name, help) {}

  template <class... Values>
  requires(Metric<Labels...>::template takes<Values...>) void add(double more,
                                                                  const Values&... labels) const {
    this->tell(&tp_metrics_api::add, more, labels...);
  }
};

// A gauge: a value that goes up and down.
template <FixedText... Labels>
class Gauge : public Metric<Labels...> {
 public:
  Gauge(Host host, std::string_view name, std::string_view help)
      : Metric<Labels...>(host, TP_METRIC_GAUGE, name, help) {}

  template <class... Values>
  requires(Metric<Labels...>::template takes<Values...>) void set(double value,
                                                                  const Values&... labels) const {
    this->tell(&tp_metrics_api::set, value, labels...);
  }
  template <class... Values>
  requires(Metric<Labels...>::template takes<Values...>) void add(double more,
                                                                  const Values&... labels) const {
    this->tell(&tp_metrics_api::add, more, labels...);
  }
};

// A histogram: counts how many values fall into each bucket. A histogram counts a duration in
// seconds.
template <FixedText... Labels>
class Histogram : public Metric<Labels...> {
 public:
  // `bounds` contains the upper bounds of the buckets, in ascending order. If `bounds` is empty,
  // the host uses the bounds from 0.005 to 10.
  Histogram(Host host, std::string_view name, std::string_view help,
            const std::vector<double>& bounds = {})
      : Metric<Labels...>(host, TP_METRIC_HISTOGRAM, name, help, bounds) {}

  template <class... Values>
  requires(Metric<Labels...>::template takes<Values...>) void observe(
      double value, const Values&... labels) const {
    this->tell(&tp_metrics_api::observe, value, labels...);
  }
  template <class Rep, class Period, class... Values>
  requires(Metric<Labels...>::template takes<Values...>) void observe(
      std::chrono::duration<Rep, Period> time, const Values&... labels) const {
    observe(std::chrono::duration<double>(time).count(), labels...);
  }
};

}  // namespace metrics
}  // namespace v1
}  // namespace toolpost
