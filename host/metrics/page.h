// Writes the text format that Prometheus reads, version 0.0.4. Each family of metrics is written
// completely before the next family begins. The caller must not write two families of metrics with
// the same name. The documentation of Prometheus describes the format ("Exposition formats").
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

  // Begins the family of metrics with this name.
  void family(std::string_view name, Kind kind, std::string_view help);
  // Writes a line of the current family of metrics.
  void sample(const Labels& labels, double value) { line({}, labels, value); }
  // Writes a family of metrics that has one line and no labels.
  void one(std::string_view name, Kind kind, std::string_view help, double value);
  void add(const Registry& registry);
  void add(const Family& family);

  // Writes the lines of one series of a histogram, in the current family.
  void histogram(const Labels& labels, const std::vector<double>& bounds, const Series& series);

  std::string take() { return std::move(text_); }

 private:
  void line(std::string_view suffix, const Labels& labels, double value);
  void label(std::string_view name, std::string_view value);

  std::string text_;
  std::string name_;  // name of the current family
};

}  // namespace host::metrics
