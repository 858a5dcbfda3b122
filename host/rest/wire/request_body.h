// The bodies of requests about detached calls: to make a call, and to report its execution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "transport/http/http.h"

namespace host::rest {

// POST /v1/tools/request/{session}
struct RequestBody {
  std::string tool;
  std::string arguments;  // JSON object text
  std::string tool_use_id;
  std::string idempotency_key;
  std::vector<std::string> webhooks;  // ids
};
Result<RequestBody> read_request_body(const transport::HttpRequest& http);

// The names that a caller gives itself. Both are optional.
struct CallerName {
  std::string worker;
  std::optional<std::uint64_t> lease;
};

// POST .../heartbeat
struct HeartbeatBody {
  CallerName caller;
  bool failed = false;  // state ERROR
  std::string error;    // for the model
  std::optional<std::uint64_t> client_clock;
};
Result<HeartbeatBody> read_heartbeat_body(const transport::HttpRequest& http);

// POST /v1/tools/response/{session}/{request}
struct ResponseBody {
  CallerName caller;
  json::Document response;  // an object
};
Result<ResponseBody> read_response_body(const transport::HttpRequest& http);

}  // namespace host::rest
