#include "permission/shell/locale_trouble.h"

#include <algorithm>

namespace host::permission::shell {
namespace {

constexpr bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool escapes_behind_letter(std::string_view command) {
  const auto is_pair = [](char before, char c) { return is_beyond_ascii(before) && c == '\\'; };
  return std::adjacent_find(command.begin(), command.end(), is_pair) != command.end();
}

// `$` and then, perhaps behind letters of ASCII, a letter beyond ASCII.
bool names_foreign_variable(std::string_view command) {
  bool in_name = false;
  for (const char c : command) {
    if (in_name && is_beyond_ascii(c)) return true;
    in_name = c == '$' || (in_name && is_part_of_name(c));
  }
  return false;
}

}  // namespace

std::string_view locale_trouble(std::string_view command) {
  if (escapes_behind_letter(command))
    return "shells read a backslash behind a letter beyond ASCII differently";
  if (names_foreign_variable(command))
    return "shells read the name of a variable with a letter beyond ASCII differently";
  return {};
}

}  // namespace host::permission::shell
