// Reads a text from the JSON of a host's status.
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"

namespace host::cli {

// Returns the text of the member `key`, or an empty text if the member is missing or is not a
// string.
inline std::string text_in(const json::Value& object, std::string_view key) {
  return std::string(json::find_text(object, key));
}

}  // namespace host::cli
