#include "skill/front_matter.h"

#include <cctype>

namespace host::skill {
namespace {

bool is_key_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

// `key: value` at the line's start with a value that is plain and holds what only quotes may.
bool wants_quotes(std::string_view line, std::size_t& value_at) {
  std::size_t at = 0;
  while (at < line.size() && is_key_character(line[at])) ++at;
  if (at == 0 || at + 1 >= line.size() || line[at] != ':' || line[at + 1] != ' ') return false;
  value_at = line.find_first_not_of(" \t", at + 1);
  if (value_at == std::string_view::npos) return false;
  const std::string_view value = line.substr(value_at);
  if (std::string_view("'\"[{|>&*!%@`").find(value[0]) != std::string_view::npos) return false;
  return value.find(": ") != std::string_view::npos || value.ends_with(':');
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

}  // namespace

std::string quote_colons(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    std::size_t value_at = 0;
    if (wants_quotes(line, value_at)) {
      out += std::string(line.substr(0, value_at)) + single_quoted(line.substr(value_at));
    } else {
      out += line;
    }
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace host::skill
