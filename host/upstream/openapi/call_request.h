// Makes the HTTP request of a call.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "upstream/openapi/operation.h"

namespace host::upstream::openapi {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The struct Access contains the headers and credentials that the configuration adds to requests.
// The values of Access can contain secrets.
struct Access {
  Headers headers;
  std::map<std::string, std::string> credentials;  // the key is the security scheme's name
};

struct CallRequest {
  std::string method;
  std::string url;
  Headers headers;
  std::string body;
};

// Makes the request. `arguments` are untrusted, and null if the call has no arguments. The Error
// InvalidArgument means that an argument is missing, unknown, or cannot be sent.
Result<CallRequest> request_for(const Operation& operation, const json::Value& arguments,
                                const Access& access);

}  // namespace host::upstream::openapi
