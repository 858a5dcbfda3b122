// Collects the metrics of one plugin instance for the host (tp.metrics/1). The MetricsBoard has its
// own lock. Only one report is on its way to the host at a time. Values that arrive during this
// time are merged into the next report. So a plugin that counts in a tight loop only slows itself.
// Any thread can call the functions.
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
  // Sends a report to the host. The board calls this function without holding its lock, and calls
  // it again only after heard(). Only close() sends without waiting for heard(). Returns false if
  // the report cannot be sent.
  using Send = std::function<bool(std::string report)>;
  explicit MetricsBoard(Send send) : send_(std::move(send)) {}

  tp_status declare(const tp_metric& metric, std::uint32_t& number);
  enum class Act { Add, Set, Observe };
  tp_status measure(Act act, std::uint32_t number, tp_strs labels, double value);

  void open();                  // the board sends values after this call
  void heard(tp_status taken);  // takes the host's answer to the last report
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
  std::string take();  // call it with the mutex locked; empty: no values to send
  void send(std::unique_lock<std::mutex>& lock);

  const Send send_;
  std::mutex mutex_;  // guards the members below
  std::vector<Known> known_;
  std::string key_;  // a reused buffer, so that finding a series allocates no memory
  std::size_t lines_ = 0;
  bool open_ = false;
  bool closed_ = false;
  bool unwanted_ = false;  // the host does not take metrics, or the send failed
  bool on_way_ = false;
};

}  // namespace host::plugin
