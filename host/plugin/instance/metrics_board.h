// A MetricsBoard collects the metrics of one plugin instance (tp.metrics/1) and reports them to the
// host. The MetricsBoard sends the next report when the host has handled the last report. New
// values are merged into the next report, so a plugin that reports values in a tight loop does not
// slow down the host. Any thread can call the functions of this header.
#pragma once

#include <toolpost/ext/metrics.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/wire/metric.h"

namespace host::plugin {

class MetricsBoard {
 public:
  // Sends a report with the plugin's metrics to the host. The MetricsBoard calls the Send function
  // without holding its lock. Only close() sends a report before heard() was called for the
  // previous report. Returns false if the report cannot be sent.
  using Send = std::function<bool(std::string report)>;
  explicit MetricsBoard(Send send) : send_(std::move(send)) {}

  tp_status declare(const tp_metric& metric, std::uint32_t& number);
  enum class Act { Add, Set, Observe };
  tp_status measure(Act act, std::uint32_t number, tp_strs labels, double value);

  void open();                  // the board sends values from now on
  void heard(tp_status taken);  // passes the host's answer to the last report
  void close();                 // sends the remaining values; the board drops later values

 private:
  struct Series {
    Measured since;      // the changes since the last report
    bool fresh = false;  // values have changed since the last report
  };
  struct Known {
    Metric metric;
    // The series of the metric, by their label values. A key of the map consists of all label
    // values of the series, each with a zero byte at its end.
    std::map<std::string, Series, std::less<>> series;
    bool fresh = false;
  };

  Series* find(Known& known, tp_strs labels);
  Series* make(Known& known, std::string key, std::vector<std::string> labels);
  std::string take();  // lock the mutex first; empty: no values
  void send(std::unique_lock<std::mutex>& lock);

  const Send send_;
  std::mutex mutex_;  // guards the members below
  std::vector<Known> known_;
  std::string key_;  // a reused buffer, so that finding a series allocates no memory
  std::size_t lines_ = 0;
  bool open_ = false;
  bool closed_ = false;
  bool unwanted_ = false;  // a report was refused or could not be sent
  bool on_way_ = false;
};

}  // namespace host::plugin
