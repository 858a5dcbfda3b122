// Declares functions that make the HTTP requests to an upstream and interpret the responses.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "outbound/gate.h"
#include "protocol/json_rpc.h"
#include "upstream/http/exchange.h"
#include "upstream/http/http_transport.h"

namespace host::upstream {

// kAnsweredOpen is the time for which the HTTP response to a request may stay open after the
// JSON-RPC response to the request has arrived.
inline constexpr std::chrono::milliseconds kAnsweredOpen{1000};

// Makes a request to the upstream's URL, with the configured headers. The upstream can redirect the
// request to other paths of the same origin. A redirect never changes the method.
outbound::Request request_to(const HttpUpstream& upstream, std::string_view method,
                             const std::string& url);

// Returns the id of the request that `text` answers. id_of_response() returns an empty id if `text`
// is not a JSON-RPC response.
protocol::Id id_of_response(std::string_view text);
// Returns true if `text` is the JSON-RPC response to `request`, or an array that contains this
// response. For an array of more than 64 KiB, answers() returns true without reading the array.
bool answers(std::string_view text, const protocol::Id& request);

// Returns the Error for an HTTP status that is not 2xx, see TransportListener::failed().
Error refusal_of(int status);
// Returns true for the statuses 4xx, with which a server refuses a request without acting on it.
bool was_refused(int status);
// Returns true if the HTTP status and the body of the response to `request` say that the server
// does not know the session. If the message was not a request, `request` is empty. The MCP
// specification names only the status 404 for an unknown session. If the body of a response with
// status 404 is the result of the request, or an error whose code says that the request itself is
// the cause, such as -32601 (method not found), is_unknown_session() returns false. Servers that
// follow the examples of the TypeScript SDK answer with the status 400, and with an error that
// belongs to no request.
bool is_unknown_session(int status, std::string_view body, const protocol::Id& request);
// Returns the Error for a session that the server does not know.
Error forgotten_session();
// Returns true if the same request can succeed later, because the server refused the request only
// temporarily.
bool may_pass(int status);

// Logs that the upstream did not get an answer to a question that it has asked.
void log_lost_answer(const HttpUpstream& upstream, const Exchange::Outcome& outcome);

// Returns the Error for a request that failed while the connection continues. Unavailable and
// NotFound mean the end of the connection (transport.h), so of_request() replaces Unavailable and
// NotFound by Io.
Error of_request(Error why);
// Returns the Error for the end of the connection: Denied if the upstream requires different
// credentials, otherwise Unavailable. For a session that the upstream does not know, use the Error
// NotFound instead of of_connection().
Error of_connection(Error why);

}  // namespace host::upstream
