// The page that Prometheus reads: its text format, version 0.0.4. Families one after the other,
// each whole; who writes one keeps its name from coming twice. Source: Prometheus, exposition
// formats, text-based format.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/registry.h"

namespace host::metrics {

inline constexpr std::string_view kPageType = "text/plain; version=0.0.4; charset=utf-8";

class Page {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  // Begins a family.
  void family(std::string_view name, Kind kind, std::string_view help);
  // A line of the family begun last.
  void sample(const Labels& labels, double value) { line({}, labels, value); }
  // A family of one line without labels.
  void one(std::string_view name, Kind kind, std::string_view help, double value);
  void add(const Registry& registry);
  void add(const Family& family);

  // The lines of one series of a histogram, in the family begun last.
  void histogram(const Labels& labels, const std::vector<double>& bounds, const Series& series);

  std::string take() { return std::move(text_); }

 private:
  void line(std::string_view suffix, const Labels& labels, double value);
  void label(std::string_view name, std::string_view value);

  std::string text_;
  std::string name_;  // of the family begun last
};

}  // namespace host::metrics
