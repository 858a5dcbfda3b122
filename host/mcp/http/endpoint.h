// Serves MCP over HTTP in all protocol versions: at /mcp, for each agent at /NAME/mcp, and for each
// session at /mcp/s/SESSION or /NAME/mcp/s/SESSION. If a request's body has a protocol version in
// `_meta`, the request is stateless (protocol version 2026-07-28): it is independent of other
// requests. A request without a protocol version in `_meta` belongs to a session that `initialize`
// made, or is a bare call (`mcp.bare_calls`). The functions of this header are called on the I/O
// thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/http/legacy.h"
#include "mcp/http/modern.h"
#include "mcp/http/principal_quota.h"
#include "mcp/method/methods.h"
#include "transport/http/http.h"

namespace host::mcp {

// The names in the path "/AGENT/mcp/s/SESSION". AGENT and SESSION can be absent from a path, for
// example in "/mcp".
struct McpPath {
  std::string_view agent;    // empty: the path names no agent
  std::string_view session;  // empty: the path names no session
};
// Returns nullopt if `path` is not the path of an MCP endpoint.
std::optional<McpPath> mcp_path(std::string_view path);
// Returns the agent's name in a path like "/AGENT/mcp", or nullopt if the path has a different
// form. The returned name is empty if the path names no agent.
std::optional<std::string_view> agent_in_path(std::string_view path);

class HttpEndpoint final : public transport::HttpHandler {
 public:
  // Returns the client that sent an HTTP request, and the agent as which the client acts. The host
  // authenticates the request before it calls this function.
  using Identify = std::function<tool::Peer(const transport::HttpRequest&)>;

  // `count` is called for each request after the first in a JSON array of requests.
  explicit HttpEndpoint(Methods& methods, Identify identify = nullptr,
                        CountRequest count = nullptr);

  awaitable<void> handle(transport::HttpExchange& exchange) override;

  // Keeps the MCP sessions in the store `desk`, see HttpLegacy::keep_in(). Call keep_sessions_in()
  // before the first HTTP request.
  Result<void> keep_sessions_in(std::shared_ptr<store::Desk> desk, const std::string& address) {
    return legacy_.keep_in(std::move(desk), address);
  }

  // Reports that a durable session has ended. end_session() ends the client contexts and streams of
  // this session.
  void end_session(const std::string& id);
  // Reports that a durable session was used, over REST or at its endpoint. After session_used(),
  // the MCP session with the same id does not count as idle.
  void session_used(std::string_view id);
  // Reports that a durable session has changed. session_changed() notifies the session's clients
  // that their lists of tools, resources and prompts can have changed.
  void session_changed(const std::string& id);
  // For each client for which `whose` returns true, the function ends the client's listen streams
  // and sessions, and cancels the calls of these sessions.
  void end_of(const Whose& whose);
  // Ends listen streams, and closes the GET streams of sessions, if `whose` returns true for the
  // peer that opened the stream.
  void close_streams_of(const Whose& whose);
  // Reports that the host stops. stop() ends the streams that only send notifications. Requests in
  // progress continue after stop().
  void stop();
  // Call end_sessions() after stop(), when no request is in progress. Removes the sessions from
  // memory. Stored sessions stay valid for their clients.
  void end_sessions() { legacy_.end_sessions(); }

  std::size_t sessions() const { return legacy_.sessions(); }

 private:
  using Exchange = transport::HttpExchange;

  awaitable<void> post(Exchange& exchange);
  awaitable<void> post_one(Exchange& exchange, json::Document tree, protocol::Message message);
  bool serves(std::string_view path) const;
  tool::Peer sender_of(const transport::HttpRequest& http) const;

  Methods& methods_;
  Identify identify_;
  PrincipalQuota streams_;
  HttpModern modern_;
  HttpLegacy legacy_;
};

}  // namespace host::mcp
