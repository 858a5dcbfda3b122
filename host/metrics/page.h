// Writes the text format of Prometheus, version 0.0.4. Families are written one after the other,
// each completely. The caller must not write a name twice. Source: Prometheus, exposition formats,
// text-based format.
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
  // A line of the current family.
  void sample(const Labels& labels, double value) { line({}, labels, value); }
  // A family with one line and no labels.
  void one(std::string_view name, Kind kind, std::string_view help, double value);
  void add(const Registry& registry);
  void add(const Family& family);

  // The lines of one histogram series, in the current family.
  void histogram(const Labels& labels, const std::vector<double>& bounds, const Series& series);

  std::string take() { return std::move(text_); }

 private:
  void line(std::string_view suffix, const Labels& labels, double value);
  void label(std::string_view name, std::string_view value);

  std::string text_;
  std::string name_;  // of the current family
};

}  // namespace host::metrics
