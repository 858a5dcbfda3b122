// Implements cross-origin resource sharing (WHATWG Fetch) for web apps of the origins in
// server.allowed_origins. Web apps of the allowed origins can send keys and JSON, and can read the
// responses. Web pages of other origins cannot send keys or read responses, not even pages of this
// machine. The host never allows cookies in cross-origin requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/http/http.h"

namespace host::transport {

class CrossOrigin {
 public:
  explicit CrossOrigin(const std::vector<std::string>& origins);

  // Returns the header fields of the response to a preflight request. Returns nullopt if the
  // request is not a preflight request, or if its origin is not allowed.
  std::optional<Headers> preflight(const HttpRequest& http) const;
  // Adds the header fields of CORS to a response that does not answer a preflight request.
  void permit(const HttpRequest& http, Headers& headers) const;

  bool lists_any() const { return !origins_.empty(); }

 private:
  bool lists(std::string_view origin) const;

  const std::vector<std::string> origins_;
};

}  // namespace host::transport
