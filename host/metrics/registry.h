// The Registry contains the host's metrics for Prometheus. A family of metrics has a name, a kind
// and a limited number of series, one for each set of label values. Counting an event only adds to
// a number in memory. The text for Prometheus is written when it is requested. The functions of
// this header are called on the I/O thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace host::metrics {

enum class Kind { Counter, Gauge, Histogram };

struct Series {
  double value = 0;                  // for a histogram: the sum of its values
  std::uint64_t count = 0;           // for a histogram: the number of values
  std::vector<std::uint64_t> below;  // for a histogram: the count for each bound, not cumulative
};

// The struct About is the declaration of one family of metrics. The Registry does not check names:
// the host's names are constants, and names of plugins were checked earlier.
struct About {
  std::string name;
  Kind kind = Kind::Counter;
  std::string help;                 // a text on one line
  std::vector<std::string> labels;  // the names of the labels
  std::vector<double> bounds;       // for a histogram: ascending bounds, without infinity
  std::size_t most_series = 1000;
};

class Family {
 public:
  explicit Family(About about) : about_(std::move(about)) {}

  // Returns the series that has these label values. `values` contains one value for each label. If
  // no series has these label values, the function makes a new series. Returns nullptr if the
  // family has reached its limit of series. The returned pointer is valid as long as the family
  // exists.
  Series* find(std::span<const std::string_view> values);
  // Finds or makes a series as find() does. If the family has reached its limit of series, returns
  // one shared series for all new label values. The labels of the shared series have the value
  // "other".
  Series& ensure(std::initializer_list<std::string_view> values);

  // Removes the series whose first label has this value. References to a removed series become
  // invalid.
  void remove(std::string_view first);

  void observe(Series& series, double value) const;

  const About& about() const { return about_; }
  // The key of a series consists of its label values, each terminated by a zero byte.
  const std::map<std::string, Series, std::less<>>& series() const { return series_; }

 private:
  Series& make();

  const About about_;
  std::map<std::string, Series, std::less<>> series_;
  std::string key_;  // reused, so that finding a series allocates nothing
};

class Registry {
 public:
  // Adds a family. The returned reference is valid as long as the registry exists. Add only one
  // family of metrics with each name.
  Family& add(About about) { return families_.emplace_back(std::move(about)); }
  const std::deque<Family>& families() const { return families_; }

 private:
  std::deque<Family> families_;
};

}  // namespace host::metrics
