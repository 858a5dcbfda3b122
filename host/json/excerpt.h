// Shortens an untrusted text to its beginning, so that a message can contain the text.
#pragma once

#include <string>
#include <string_view>

#include "base/text/encoding.h"

namespace host::json {

// Returns at most `limit` bytes of valid UTF-8, cut between characters. If the text was cut, the
// function appends `...`.
inline std::string excerpt(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  return std::string(utf8_begin(text, limit)) + "...";
}

}  // namespace host::json
