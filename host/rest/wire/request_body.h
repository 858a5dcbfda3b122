// Reads the bodies of HTTP requests about detached calls: requests that make a call, and requests
// that report the execution of a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "transport/http/http.h"

namespace host::rest {

// A RequestBody is the body of POST /v1/tools/request/{session}.
struct RequestBody {
  std::string tool;
  std::string arguments;  // the call's arguments as JSON object text
  std::string context;    // the call's context, as tool::text_of() writes it; empty: none
  std::string tool_use_id;
  std::string idempotency_key;
  std::vector<std::string> webhooks;  // ids of webhooks that get the call's events
};
// The Error Denied means that the body has a context, and `may_send_context` is false.
Result<RequestBody> read_request_body(const transport::HttpRequest& http, bool may_send_context);

// A client that executes calls sends its worker name and its lease. The client can leave out the
// worker name, the lease, or both.
struct CallerName {
  std::string worker;
  std::optional<std::uint64_t> lease;
};

// A HeartbeatBody is the body of POST .../heartbeat.
struct HeartbeatBody {
  CallerName caller;
  bool failed = false;  // true: the client reports the state ERROR
  std::string error;    // the text of the error, for the model
  std::optional<std::uint64_t> client_clock;
};
Result<HeartbeatBody> read_heartbeat_body(const transport::HttpRequest& http);

// A ResponseBody is the body of POST /v1/tools/response/{session}/{request}.
struct ResponseBody {
  CallerName caller;
  json::Document response;  // a JSON object
};
Result<ResponseBody> read_response_body(const transport::HttpRequest& http);

}  // namespace host::rest
