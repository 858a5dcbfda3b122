#include "cli/output/table.h"

#include <algorithm>

#include "base/text/visible.h"

namespace host::cli {
namespace {

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

}  // namespace

std::string one_line(const std::string& text, std::size_t width) {
  std::string out;
  std::size_t characters = 0;
  for (std::string_view left = text; !left.empty();) {
    const Character next = first_character(left);
    left.remove_prefix(next.bytes.size());
    const bool blank = next.point == '\n' || next.point == '\t';
    const std::string shown = blank ? " " : marked(next.bytes);
    characters += width_of(shown);
    if (characters > width) return out + "...";
    out += shown;
  }
  return out;
}

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = one_line(cell, 100);
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace host::cli
