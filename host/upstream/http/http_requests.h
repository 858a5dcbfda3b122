// Functions for all HTTP requests to an upstream, and for the meaning of their responses.
#pragma once

#include <string>
#include <string_view>

#include "outbound/gate.h"
#include "protocol/json_rpc.h"
#include "upstream/http/exchange.h"
#include "upstream/http/http_transport.h"

namespace host::upstream {

// A request to the upstream's URL, with the configured headers. A redirect may lead to other paths
// of the same origin, and never changes the method.
outbound::Request request_to(const HttpUpstream& upstream, std::string_view method,
                             const std::string& url);

// True if `text` is a JSON-RPC response to this request.
bool answers(std::string_view text, const protocol::Id& request);

// The Error for a status that is not 2xx; see TransportListener::failed().
Error refusal_of(int status);
// 4xx: a server refuses such a request without acting on it.
bool was_refused(int status);
// True if the status and the body of a response say that the server does not know the session. The
// specification has only 404. Servers that follow the examples of the TypeScript SDK answer 400,
// with an error that belongs to no request.
bool is_unknown_session(int status, std::string_view body);
// True if the server refuses the request only temporarily: it may succeed later.
bool may_pass(int status);

}  // namespace host::upstream
