// The beginning of a foreign text, for messages.
#pragma once

#include <string>
#include <string_view>

namespace host::json {

// At most `limit` bytes of valid UTF-8, cut between characters; `...` tells that there was more.
inline std::string excerpt(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0u) == 0x80u) --limit;
  return std::string(text.substr(0, limit)) + "...";
}

}  // namespace host::json
