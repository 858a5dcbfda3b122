// The beginning of an untrusted text, for messages.
#pragma once

#include <string>
#include <string_view>

#include "base/text/encoding.h"

namespace host::json {

// At most `limit` bytes of valid UTF-8, cut between characters. `...` shows that text was cut off.
inline std::string excerpt(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  return std::string(utf8_begin(text, limit)) + "...";
}

}  // namespace host::json
