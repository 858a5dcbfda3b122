// Reads the idempotency key of a request that makes a detached call. A client can send the key in
// three places: in the header Idempotency-Key, in the body, and in the arguments, as over MCP.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "rest/wire/request_body.h"
#include "tool/definition/tool.h"
#include "transport/http/http.h"

namespace host::rest {

struct RequestKey {
  std::string text;  // empty: the request has no key
  bool in_header = false;
  std::string_view pointer;  // JSON pointer to the key in the body; empty if it is in the header

  // Returns an Error InvalidArgument that says where the faulty key is: in the header, the body or
  // the arguments.
  Error fault(std::string_view why) const;
};

// The call that a call of call_tool makes.
struct InnerCall {
  std::string tool;  // empty: the arguments of call_tool name no tool
  std::string arguments = "{}";
};
// `arguments` contains the arguments of call_tool.
InnerCall inner_call_in(std::string_view arguments);

// Takes the idempotency key out of the body, and out of the arguments in the body. The Error
// InvalidArgument means that a key is not valid, or that two places have different keys. If the
// tool declares an argument `idempotency_key`, the function leaves this argument where it is. For a
// call of call_tool, `inner` is the tool that it calls, whose arguments can also have the key.
// Otherwise `inner` is null.
Result<RequestKey> take_request_key(const transport::HttpRequest& http, RequestBody& body,
                                    const tool::Tool& tool, const tool::Tool* inner);

}  // namespace host::rest
