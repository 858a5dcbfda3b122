// What one instance counts, on its way to the host (tp.metrics/1): gathered here, under a lock of
// its own, and sent as one report at a time; what comes meanwhile folds into the next. A plugin
// that counts in its hottest loop reaches nobody but itself. Any thread.
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
  // Called with no lock held, and not again before heard(), save by close(). False: it cannot be
  // sent.
  using Send = std::function<bool(std::string report)>;
  explicit MetricsBoard(Send send) : send_(std::move(send)) {}

  tp_status declare(const tp_metric& metric, std::uint32_t& number);
  enum class Act { Add, Set, Observe };
  tp_status measure(Act act, std::uint32_t number, tp_strs labels, double value);

  void open();                  // from here on it sends
  void heard(tp_status taken);  // the host's answer to the last report
  void close();                 // sends what is left; nothing is counted any more

 private:
  struct Series {
    Measured since;      // it was told last
    bool fresh = false;  // something came since then
  };
  struct Known {
    Metric metric;
    std::map<std::string, Series, std::less<>> series;  // by the values, each ended by a zero byte
    bool fresh = false;
  };

  Series* find(Known& known, tp_strs labels);
  Series* make(Known& known, std::string key, std::vector<std::string> labels);
  std::string take();  // with the mutex; empty: there is nothing
  void send(std::unique_lock<std::mutex>& lock);

  const Send send_;
  std::mutex mutex_;  // guards the rest
  std::vector<Known> known_;
  std::string key_;  // kept, so that to find a series allocates nothing
  std::size_t lines_ = 0;
  bool open_ = false;
  bool closed_ = false;
  bool unwanted_ = false;  // this host shows none
  bool on_way_ = false;
};

}  // namespace host::plugin
