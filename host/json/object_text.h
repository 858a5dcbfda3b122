// Writes parts of JSON objects as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"

namespace host::json {

// Adds a member to an object that is being written.
inline void add_member(std::string& out, std::string_view key, std::string_view json) {
  if (out.back() != '{') out += ',';
  write_string(key, out);
  out += ':';
  out += json;
}

inline void add_text(std::string& out, std::string_view key, std::string_view value) {
  if (out.back() != '{') out += ',';
  write_string(key, out);
  out += ':';
  write_string(value, out);
}

inline void add_bool(std::string& out, std::string_view key, bool value) {
  add_member(out, key, value ? "true" : "false");
}

inline std::string list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    write_string(text, out);
  }
  return out + "]";
}

}  // namespace host::json
