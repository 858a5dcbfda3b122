#include "permission/shell/locale_trouble.h"

#include <algorithm>

namespace host::permission::shell {
namespace {

bool escapes_behind_letter(std::string_view command) {
  const auto is_pair = [](char before, char c) { return is_beyond_ascii(before) && c == '\\'; };
  return std::adjacent_find(command.begin(), command.end(), is_pair) != command.end();
}

}  // namespace

std::string_view locale_trouble(std::string_view command) {
  if (escapes_behind_letter(command))
    return "shells read a backslash behind a letter beyond ASCII differently";
  return {};
}

}  // namespace host::permission::shell
