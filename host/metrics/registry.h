// Numbers about the host for the operator's Prometheus: families, which have a name and a kind, and
// in each a bounded number of series, one for each set of label values. To count is to add to a
// double that was found by its labels; nothing is written until somebody asks for the page.
// I/O thread only.
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
  double value = 0;                  // of a histogram: the sum
  std::uint64_t count = 0;           // of a histogram
  std::vector<std::uint64_t> below;  // of a histogram: by bound, not one within the other
};

// What a family is. Names are not checked here: the host's are its own, those of plugins were.
struct About {
  std::string name;
  Kind kind = Kind::Counter;
  std::string help;                 // one line
  std::vector<std::string> labels;  // their names
  std::vector<double> bounds;       // of a histogram: rising, without infinity
  std::size_t most_series = 1000;
};

class Family {
 public:
  explicit Family(About about) : about_(std::move(about)) {}

  // The series of these values, as many as there are labels; made where it is new. nullptr where
  // the family is full. Good as long as the family.
  Series* find(std::span<const std::string_view> values);
  // The same; what comes when it is full is counted together, with the value "other" everywhere.
  Series& ensure(std::initializer_list<std::string_view> values);

  void observe(Series& series, double value) const;

  const About& about() const { return about_; }
  // By the values of the labels, each ended by a zero byte.
  const std::map<std::string, Series, std::less<>>& series() const { return series_; }

 private:
  Series& make();

  const About about_;
  std::map<std::string, Series, std::less<>> series_;
  std::string key_;  // kept, so that to find a series allocates nothing
};

class Registry {
 public:
  // Good as long as the registry. Each name once.
  Family& add(About about) { return families_.emplace_back(std::move(about)); }
  const std::deque<Family>& families() const { return families_; }

 private:
  std::deque<Family> families_;
};

}  // namespace host::metrics
