// What each HTTP request to an upstream has in common, and what its answers mean.
#pragma once

#include <string>
#include <string_view>

#include "outbound/gate.h"
#include "protocol/json_rpc.h"
#include "upstream/http/exchange.h"
#include "upstream/http/http_transport.h"

namespace host::upstream {

// To the upstream's URL, with the configured headers. A redirect may lead to other paths of the
// same origin, and never changes the method.
outbound::Request request_to(const HttpUpstream& upstream, std::string_view method,
                             const std::string& url);

// Whether `text` is a response of JSON-RPC to this request.
bool answers(std::string_view text, const protocol::Id& request);

// Of a status that is not 2xx; see TransportListener::failed().
Error refusal_of(int status);
// 4xx: a server refuses such a request without acting on it.
bool was_refused(int status);
// Whether the status, or the body of such a response, says that the server does not know the
// session. Only 404 is of the specification. Servers that follow the examples of the TypeScript SDK
// answer 400, with an error that belongs to no request.
bool is_unknown_session(int status, std::string_view body);
// The server refuses for now: the same request may succeed later.
bool may_pass(int status);

}  // namespace host::upstream
