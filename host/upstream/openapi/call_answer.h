// The HTTP response to a call, as the result of a tool.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "upstream/connection/secrets.h"

namespace host::upstream::openapi {

// The most bytes of a response's body. In base64 it is still a text that the JSON parser takes.
inline constexpr std::size_t kMostBodyBytes = 12u << 20u;

struct CallAnswer {
  std::string method;
  std::string url;  // of the request, without its query
  int status = 0;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;  // only for HEAD
  std::string retry_after;                                   // empty: there is none
  std::string body;                                          // of an error: its beginning
};

// Returns a CallToolResult as JSON. JSON is a text, and an object also structured content. Other
// texts are texts, everything else is a blob, an image or audio. A status that is not 2xx is an
// error with the beginning of its body. Values of `secrets` are hidden in texts. Any thread.
std::string result_of(const CallAnswer& answer, const Secrets& secrets);

}  // namespace host::upstream::openapi
