// Serves MCP over HTTP in the protocol versions with sessions (until 2025-11-25). The request
// `initialize` makes a session, and later requests name it in a header. An HTTP GET opens the
// session's stream, and a DELETE ends the session. Bare calls belong to no session
// (`mcp.bare_calls`). The functions of this header are called on the I/O thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mcp/http/kept_sessions.h"
#include "mcp/http/session.h"
#include "mcp/http/session_reply.h"
#include "mcp/method/methods.h"
#include "mcp/peer/batch.h"
#include "transport/http/http.h"

namespace host::mcp {

// The result of a CountRequest. `headers` replace the headers of the response that report the rate
// limits.
struct RequestCount {
  std::optional<transport::HttpRefusal> refusal;
  transport::Headers headers;
};
// Counts one more request of the client that sent an HTTP request against the rate limits.
using CountRequest = std::function<RequestCount(const transport::HttpRequest&)>;

class HttpLegacy {
 public:
  HttpLegacy(Methods& methods, PrincipalQuota& streams, CountRequest count);

  awaitable<void> post(transport::HttpExchange& exchange, Request& request);
  awaitable<void> batch(transport::HttpExchange& exchange, json::Document tree, tool::Peer who);
  void get(transport::HttpExchange& exchange, const tool::Peer& who);
  void remove(transport::HttpExchange& exchange, const tool::Peer& who);

  // Ends the sessions of peers for which `whose` returns true, and cancels their calls.
  void end_of(const Whose& whose) { sessions_.remove_of(whose); }

  // end_session() ends the MCP sessions that belong to the durable session `id`. session_changed()
  // notifies the clients of these MCP sessions that their lists can have changed. session_used()
  // records that the MCP session with the id `id` was used.
  void end_session(const std::string& id);
  void session_changed(const std::string& id);
  void session_used(std::string_view id);

  // Closes a session's GET stream if `whose` returns true for the peer that opened the stream. The
  // sessions themselves continue.
  void close_streams_of(const Whose& whose);

  // After this call, the host keeps its MCP sessions in the store `desk`, as sessions of the host
  // at `address`. keep_in() blocks, because it loads the sessions that are already stored. If the
  // function returns an Error, the host does not store sessions.
  Result<void> keep_in(std::shared_ptr<store::Desk> desk, const std::string& address);

  // Reports that the host stops. stop() closes the GET streams of sessions. end_sessions() then
  // removes the sessions from memory.
  void stop();
  void end_sessions();

  std::size_t sessions() const { return sessions_.size(); }

 private:
  using Exchange = transport::HttpExchange;

  awaitable<void> post_in_session(Exchange& exchange, Request request,
                                  std::shared_ptr<HttpSession> session);
  awaitable<void> keep_settings(std::shared_ptr<HttpSession> session);
  awaitable<Reply> answer_in_session(std::shared_ptr<HttpSession> session, Request request);
  awaitable<void> answer_member(std::shared_ptr<HttpSession> session, Request request,
                                std::shared_ptr<Batch> batch);
  // Counts one request of a JSON array of requests against the rate limit. Returns the JSON-RPC
  // error for the request `id` if a rate limit refuses the request.
  std::optional<protocol::Fault> refusal_by_rate(Exchange& exchange, const protocol::Id& id) const;
  SessionReply::Polling polling(const HttpSession& session) const;
  // Sends the events that the client missed, and then opens the session's GET stream. If the client
  // missed more than fits into the stream, the stream ends, and the client must reconnect to get
  // the rest. Returns false if there are too many streams. Before the function returns false, it
  // answers the request with an error.
  bool open_stream(Exchange& exchange, const tool::Peer& who,
                   const std::shared_ptr<HttpSession>& session, const EventLog::Missed& missed);
  void follow_news(const std::shared_ptr<HttpSession>& session);
  void resume(Exchange& exchange, const tool::Peer& who,
              const std::shared_ptr<HttpSession>& session);
  awaitable<void> initialize(Exchange& exchange, Request request);
  void refuse_session(Exchange& exchange, HttpSessions::Full full, const protocol::Id& id) const;
  // Returns the session that the request names. Returns nullptr if this session does not exist.
  // Before the function returns nullptr, it answers the request with an error.
  std::shared_ptr<HttpSession> find_session(Exchange& exchange, const tool::Peer& who,
                                            const protocol::Id& id);

  Methods& methods_;
  PrincipalQuota& streams_;
  const CountRequest count_;
  PrincipalQuota requests_;  // requests in flight, also those of disconnected clients
  HttpSessions sessions_;
  std::shared_ptr<KeptSessions> kept_;  // null: sessions end with the host
};

}  // namespace host::mcp
