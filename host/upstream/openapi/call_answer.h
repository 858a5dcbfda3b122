// Converts the HTTP response to a call into the result of a tool.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "upstream/connection/secrets.h"

namespace host::upstream::openapi {

// kMostBodyBytes is the maximum size of a response's body. Even in base64, a body of kMostBodyBytes
// is short enough for the JSON parser.
inline constexpr std::size_t kMostBodyBytes = 12u << 20u;

struct CallAnswer {
  std::string method;
  std::string url;  // URL of the request, without its query
  int status = 0;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;  // set only for the method HEAD
  std::string retry_after;                                   // empty: there is none
  std::string body;                                          // the body; if the status is
                                                             // not 2xx, its beginning
  bool promises_object = false;                              // the document promises a JSON object
};

// Returns a CallToolResult as JSON. A JSON body becomes a text block. If the JSON of the body is an
// object, it also becomes the structured content. A body of text that is not JSON becomes a text
// block. A body that is not text becomes an image, audio or a blob. If the status is not 2xx, the
// result is an error that contains the beginning of the response's body. If the response is a
// success but not the JSON object that the document promises, the result is an error that names the
// difference. The error also contains the response's body. The function result_of() hides the
// values of `secrets` in texts. Any thread can call result_of().
std::string result_of(const CallAnswer& answer, const Secrets& secrets);

}  // namespace host::upstream::openapi
