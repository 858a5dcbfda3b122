#include "metrics/registry.h"

#include <algorithm>

namespace host::metrics {

Series* Family::find(std::span<const std::string_view> values) {
  key_.clear();
  for (const std::string_view value : values) {
    key_ += value;
    key_ += '\0';
  }
  const auto at = series_.find(key_);
  if (at != series_.end()) return &at->second;
  if (series_.size() >= about_.most_series) return nullptr;
  return &make();
}

Series& Family::ensure(std::initializer_list<std::string_view> values) {
  if (Series* const found = find({values.begin(), values.size()})) return *found;
  key_.clear();
  for (std::size_t i = 0; i < about_.labels.size(); ++i) key_.append("other").append(1, '\0');
  const auto at = series_.find(key_);
  return at != series_.end() ? at->second : make();
}

void Family::remove(std::string_view first) {
  const std::string prefix = std::string(first) + '\0';
  std::erase_if(series_, [&](const auto& one) { return one.first.starts_with(prefix); });
}

// Of key_.
Series& Family::make() {
  Series& series = series_[key_];
  series.below.resize(about_.bounds.size());
  return series;
}

void Family::observe(Series& series, double value) const {
  series.value += value;
  ++series.count;
  const auto at = std::lower_bound(about_.bounds.begin(), about_.bounds.end(), value);
  if (at != about_.bounds.end())
    ++series.below[static_cast<std::size_t>(at - about_.bounds.begin())];
}

}  // namespace host::metrics
