#include "upstream/confine/report.h"

namespace host::upstream {
namespace {

constexpr std::string_view kLayer = "layer ";
constexpr std::string_view kAbsent = "absent ";

// A path may have a line end, which would begin another line.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  }
  return line;
}

// The first word of `rest`, which then begins after it.
std::string_view take_first(std::string_view& rest) {
  const std::size_t end = rest.find(' ');
  const std::string_view word = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return word;
}

}  // namespace

std::string report_of(const sandbox::Applied& applied) {
  std::string out;
  for (const std::string& path : applied.absent)
    out += std::string(kAbsent) + on_one_line(path) + "\n";
  for (const sandbox::Layer& layer : applied.layers) {
    out += std::string(kLayer) + std::string(to_string(layer.name)) +
           (layer.active ? " 1 " : " 0 ") + on_one_line(layer.detail) + "\n";
  }
  return out;
}

std::string refusal_report(std::string_view reason) {
  return "refused " + on_one_line(reason) + "\n";
}

bool take_report(std::string_view line, sandbox::Applied& applied) {
  if (line.starts_with(kAbsent)) {
    applied.absent.emplace_back(line.substr(kAbsent.size()));
    return true;
  }
  if (!line.starts_with(kLayer)) return false;
  std::string_view rest = line.substr(kLayer.size());
  const auto name = sandbox::layer_named(take_first(rest));
  if (!name) return false;
  const bool active = take_first(rest) == "1";
  applied.layers.push_back({*name, active, std::string(rest)});
  return true;
}

}  // namespace host::upstream
