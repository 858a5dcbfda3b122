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
// Returns true if the response refuses the message with a status 4xx, and the server did not act on
// the message. A response that broke off can have been an answer. A stream of events is a refusal
// only if it consists of one JSON-RPC error, because all other events can belong to a call that
// runs. A body that begins like JSON is a refusal if it is valid JSON of at most 64 KiB, and
// neither the body nor an element of it has a "method" or a result. A result that is null beside an
// error does not count.
bool refuses(const Exchange::Outcome& outcome);

// SessionLoss says what an HTTP response with an error status means for the session.
enum class SessionLoss {
  None,  // the server still knows the session
  // The server can have acted on the message, and can have lost the session. So the session ends,
  // and the message must not be sent again.
  Answered,
  // As Answered, but the server's answer says that it does not know the session. So a message that
  // may be repeated can be sent again.
  Named,
  Forgotten,  // the server does not know the session, and has not acted on the message
};

// Returns what an HTTP response with the status `status` means for the session in which the message
// was sent. `message` is the id of the request, or the id of the question that the message answers;
// empty: the message is a notification.
//
// The MCP specification names only the status 404 for an unknown session. The known SDKs answer
// with no id, with the id null or with an id of their own. Servers that follow the examples of the
// TypeScript SDK answer with the status 400. A response with the id of the message is the server's
// answer, and the server can have acted on the message before. If such an answer has more than
// 64 KiB, session_loss() does not read its error. The first line that applies counts:
//
//   response                                                404         400
//   result with the id of the message                       None        None
//   error with this id, -32000 or -32001, names a session:
//     after other messages                                  Named       Named
//     otherwise                                             Forgotten   Named
//   other error with this id that names a session           Named       None
//   error with this id about the message, such as -32601    None        None
//   other error with this id                                Answered    None
//   no word "session" and no error about sessions           -           None
//   refuses() is false                                      Answered    Answered
//   any other response                                      Forgotten   Forgotten
SessionLoss session_loss(int status, const Exchange::Outcome& outcome, const protocol::Id& message);
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
