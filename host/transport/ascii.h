// Declares functions for the character classes of HTTP. The functions of this header do not depend
// on the locale.
#pragma once

#include <string_view>

namespace host::transport {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Returns true if the text is a port number in decimal: 0 to 65535.
inline bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  unsigned number = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number <= 65'535;
}

inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

// Returns true for control characters other than the tab. The head of a request must not contain
// characters for which is_control() returns true.
inline bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

}  // namespace host::transport
