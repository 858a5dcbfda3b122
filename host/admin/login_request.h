// Reads the body of a login request. Anybody can send a login request, so the host parses the body
// strictly.
#pragma once

#include <string>

#include "base/result.h"
#include "transport/http/http.h"

namespace host::admin {

// Either `link` or `key` is set, and never both.
struct LoginRequest {
  std::string link;
  std::string key;
};

// The body is {"link": TEXT} or {"key": TEXT}, as application/json.
Result<LoginRequest> read_login_request(const transport::HttpRequest& http);

}  // namespace host::admin
