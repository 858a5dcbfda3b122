// Pieces of the JSON that verbs print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"

namespace host::cli {

// Into an object that is being written.
inline void add_text(std::string& out, std::string_view key, std::string_view value) {
  if (out.back() != '{') out += ',';
  json::write_string(key, out);
  out += ':';
  json::write_string(value, out);
}

inline std::string list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    json::write_string(text, out);
  }
  return out + "]";
}

}  // namespace host::cli
