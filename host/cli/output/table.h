// Prints rows in aligned columns. A table's header is optional. The table shows hidden characters
// as visible text.
#pragma once

#include <string>
#include <vector>

namespace host::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }
  void add(std::vector<std::string> row);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Returns `text` on one line, cut after `width` characters. The function replaces hidden characters
// by visible text.
std::string one_line(const std::string& text, std::size_t width = std::string::npos);

}  // namespace host::cli
