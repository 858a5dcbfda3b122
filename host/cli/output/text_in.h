// A text out of a listing of the host.
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"

namespace host::cli {

// returns empty where the member is missing or no text
inline std::string text_in(const json::Value& object, std::string_view key) {
  return std::string(json::find_text(object, key));
}

}  // namespace host::cli
