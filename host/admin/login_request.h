// What a login request shows. Everybody may send one, so it is read strictly.
#pragma once

#include <string>

#include "base/result.h"
#include "transport/http.h"

namespace host::admin {

// One of them is empty.
struct LoginRequest {
  std::string link;
  std::string key;
};

// The body is {"link": TEXT} or {"key": TEXT}, as application/json.
Result<LoginRequest> read_login_request(const transport::HttpRequest& http);

}  // namespace host::admin
