#include "cli/output/shell_word.h"

#include <algorithm>

namespace host::cli {

std::string shell_word(std::string_view word) {
  const bool is_plain = std::all_of(word.begin(), word.end(), [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    return is_letter || is_digit || std::string_view("_-./:@+,").find(c) != std::string_view::npos;
  });
  if (is_plain && !word.empty()) return std::string(word);
  std::string out;
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + out + "'";
}

}  // namespace host::cli
