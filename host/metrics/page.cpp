#include "metrics/page.h"

#include <charconv>
#include <cmath>
#include <iterator>

namespace host::metrics {
namespace {

std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::Counter:
      return "counter";
    case Kind::Gauge:
      return "gauge";
    case Kind::Histogram:
      return "histogram";
  }
  return "untyped";
}

std::string digits(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  return {text, std::to_chars(std::begin(text), std::end(text), value).ptr};
}

// Quotes stand for themselves in a help text, and not in a label's value.
void write_escaped(std::string_view text, std::string& out, bool quotes) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (c == '"' && quotes)) out += '\\';
    out += c;
  }
}

}  // namespace

void Page::family(std::string_view name, Kind kind, std::string_view help) {
  name_ = name;
  text_.append("# HELP ").append(name).append(1, ' ');
  write_escaped(help, text_, false);
  text_.append("\n# TYPE ").append(name).append(1, ' ').append(word_of(kind)).append(1, '\n');
}

void Page::one(std::string_view name, Kind kind, std::string_view help, double value) {
  family(name, kind, help);
  sample({}, value);
}

void Page::add(const Registry& registry) {
  for (const Family& family : registry.families()) add(family);
}

void Page::add(const Family& from) {
  const About& about = from.about();
  family(about.name, about.kind, about.help);
  for (const auto& [key, series] : from.series()) {
    Labels labels;
    std::string_view rest = key;
    for (const std::string& name : about.labels) {
      const std::size_t end = rest.find('\0');
      labels.emplace_back(name, rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    if (about.kind == Kind::Histogram) {
      histogram(labels, about.bounds, series);
    } else {
      sample(labels, series.value);
    }
  }
}

void Page::histogram(const Labels& labels, const std::vector<double>& bounds,
                     const Series& series) {
  Labels bounded = labels;
  bounded.emplace_back("le", "");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    below += series.below[i];
    const std::string bound = digits(bounds[i]);
    bounded.back().second = bound;
    line("_bucket", bounded, static_cast<double>(below));
  }
  bounded.back().second = "+Inf";
  line("_bucket", bounded, static_cast<double>(series.count));
  line("_sum", labels, series.value);
  line("_count", labels, static_cast<double>(series.count));
}

void Page::line(std::string_view suffix, const Labels& labels, double value) {
  text_.append(name_).append(suffix);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text_ += i == 0 ? '{' : ',';
    label(labels[i].first, labels[i].second);
  }
  if (!labels.empty()) text_ += '}';
  text_.append(1, ' ').append(digits(value)).append(1, '\n');
}

void Page::label(std::string_view name, std::string_view value) {
  text_.append(name).append("=\"");
  write_escaped(value, text_, true);
  text_ += '"';
}

}  // namespace host::metrics
