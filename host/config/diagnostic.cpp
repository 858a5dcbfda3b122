#include "config/diagnostic.h"

#include <algorithm>

namespace host::config {
namespace {

constexpr std::size_t kLongestSource = 160;  // bytes of a line that are worth showing

bool continues_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

// Without what would move the terminal's cursor: names and values come from strangers too.
std::string tame(std::string text) {
  for (char& c : text) {
    if (c != '\t' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) c = '?';
  }
  return text;
}

// The line, cut where it is long.
std::string printable(std::string_view line) {
  std::string out(line.substr(0, kLongestSource));
  if (out.size() < line.size()) {
    while (!out.empty() && continues_a_character(line[out.size()])) out.pop_back();
    out += "...";
  }
  return tame(std::move(out));
}

// What stands under the line before the caret: tabs stay, so that it meets its column.
std::string up_to(std::string_view line, std::uint32_t column) {
  std::string out;
  std::uint32_t at = 1;
  for (const char c : line) {
    if (continues_a_character(c)) continue;
    if (at++ >= column) break;
    out += c == '\t' ? '\t' : ' ';
  }
  while (at++ < column && out.size() < kLongestSource) out += ' ';
  return out;
}

}  // namespace

std::string Diagnostic::headline() const {
  std::string out = file;
  if (line != 0) out += ":" + std::to_string(line);
  if (line != 0 && column != 0) out += ":" + std::to_string(column);
  if (!out.empty()) out += ": ";
  out += severity == Severity::Error ? "error" : "warning";
  return tame(out + "[" + code + "]: " + message);
}

std::string Diagnostic::describe() const {
  std::string out = headline() + "\n";
  if (line != 0 && !source.empty()) {
    const std::string number = std::to_string(line);
    const std::string shown = printable(source);
    out += "  " + number + " | " + shown + "\n";
    if (column != 0)
      out += "  " + std::string(number.size(), ' ') + " | " + up_to(shown, column) + "^\n";
  }
  if (!help.empty()) out += "  help: " + tame(help) + "\n";
  return out;
}

bool has_error(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& one) { return one.severity == Severity::Error; });
}

}  // namespace host::config
