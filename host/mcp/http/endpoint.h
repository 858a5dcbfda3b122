// MCP over HTTP, for both eras: at /mcp, for each agent at /NAME/mcp, and for each session at
// /mcp/s/SESSION or /NAME/mcp/s/SESSION. The era of a request is
// decided from its body. A request with a version in `_meta` belongs to the stateless era, and is
// independent of other requests. Every other request belongs to a session that `initialize` made,
// or is a bare call (`mcp.bare_calls`). I/O thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/http/legacy.h"
#include "mcp/http/modern.h"
#include "mcp/http/stream_quota.h"
#include "mcp/method/methods.h"
#include "transport/http/http.h"

namespace host::mcp {

// The names in "/AGENT/mcp/s/SESSION"; each may be absent, as in "/mcp".
struct McpPath {
  std::string_view agent;    // empty: none
  std::string_view session;  // empty: none
};
// nullopt: the path has a different form.
std::optional<McpPath> mcp_path(std::string_view path);
// The agent's name in such a path. Empty: the path names no agent.
std::optional<std::string_view> agent_in_path(std::string_view path);

class HttpEndpoint final : public transport::HttpHandler {
 public:
  // Returns who sent a request, and as which agent. The request was authenticated before.
  using Identify = std::function<tool::Peer(const transport::HttpRequest&)>;

  explicit HttpEndpoint(Methods& methods, Identify identify = nullptr);

  awaitable<void> handle(transport::HttpExchange& exchange) override;

  // See HttpLegacy::keep_in(). Call it before the first request.
  Result<void> keep_sessions_in(std::shared_ptr<store::Desk> desk, const std::string& address) {
    return legacy_.keep_in(std::move(desk), address);
  }

  // A durable session has ended. Ends the client contexts and streams that belong to it.
  void end_session(const std::string& id);
  // A durable session has changed. Notifies its clients to read the lists again.
  void session_changed(const std::string& id);
  // For peers for which `whose` is true: answers and ends their listen streams, ends their
  // sessions, and cancels the sessions' calls.
  void end_of(const Whose& whose);
  // Ends listen streams, and closes the GET streams of sessions, if `whose` is true for the peer
  // that opened the stream.
  void close_streams_of(const Whose& whose);
  // The host stops. Ends the streams that only send notifications. Requests in progress continue.
  void stop();
  // Call it after stop(), when no request is in progress. Removes the sessions from memory. Stored
  // sessions stay valid for their clients.
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
  StreamQuota streams_;
  HttpModern modern_;
  HttpLegacy legacy_;
};

}  // namespace host::mcp
