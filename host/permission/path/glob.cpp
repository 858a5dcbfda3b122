#include "permission/path/glob.h"

#include <cstddef>

namespace host::permission {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Matches one character against the pattern at `at`. Returns the pattern's next position, or kNone.
std::size_t match_set(std::string_view pattern, std::size_t at, char c) {
  std::size_t i = at + 1;
  const bool inverted = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (inverted) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    const auto low = static_cast<unsigned char>(pattern[i]);
    auto high = low;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      high = static_cast<unsigned char>(pattern[i + 2]);
      i += 2;
    }
    const auto value = static_cast<unsigned char>(c);
    found = found || (low <= value && value <= high);
    ++i;
  }
  // A set that never ends is a literal bracket.
  if (i >= pattern.size()) return c == '[' ? at + 1 : kNone;
  return found != inverted ? i + 1 : kNone;
}

std::size_t match_one(std::string_view pattern, std::size_t at, char c) {
  switch (pattern[at]) {
    case '?':
      return at + 1;
    case '[':
      return match_set(pattern, at, c);
    case '\\':
      if (at + 1 < pattern.size()) return pattern[at + 1] == c ? at + 2 : kNone;
      return c == '\\' ? at + 1 : kNone;
    default:
      return pattern[at] == c ? at + 1 : kNone;
  }
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text, LeadingDot dot) {
  if (dot == LeadingDot::Explicit && text.starts_with('.') && !pattern.starts_with('.') &&
      !pattern.starts_with("\\.")) {
    return false;
  }
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = kNone;  // after the last star, and the text's position at that time
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      mark = t;
      continue;
    }
    const std::size_t next = p < pattern.size() ? match_one(pattern, p, text[t]) : kNone;
    if (next != kNone) {
      p = next;
      ++t;
    } else if (star != kNone) {
      p = star;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

}  // namespace host::permission
