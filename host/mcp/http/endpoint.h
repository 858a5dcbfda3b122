// MCP over HTTP, for both eras: at /mcp, for each agent at /NAME/mcp, and for each session at
// /mcp/s/SESSION or /NAME/mcp/s/SESSION. The era of a request is
// decided from its body first: what claims a version in `_meta` is of the stateless era and stands
// alone; everything else belongs to a session that `initialize` made, or is a bare call
// (`mcp.bare_calls`). I/O thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/http/legacy.h"
#include "mcp/http/modern.h"
#include "mcp/http/stream_quota.h"
#include "mcp/method/methods.h"
#include "transport/http.h"

namespace host::mcp {

// The names in "/AGENT/mcp/s/SESSION"; each may be absent, as in "/mcp".
struct McpPath {
  std::string_view agent;    // empty: none
  std::string_view session;  // empty: none
};
// nullopt: no path of this kind.
std::optional<McpPath> mcp_path(std::string_view path);
// The agent's name in such a path; empty: none.
std::optional<std::string_view> agent_in_path(std::string_view path);

class HttpEndpoint final : public transport::HttpHandler {
 public:
  // Who sent a request, and as which agent; it was let in before.
  using Identify = std::function<tool::Peer(const transport::HttpRequest&)>;

  explicit HttpEndpoint(Methods& methods, Identify identify = nullptr);

  awaitable<void> handle(transport::HttpExchange& exchange) override;

  // See HttpLegacy::keep_in(). Before the first request.
  Result<void> keep_sessions_in(std::shared_ptr<store::Desk> desk, const std::string& address) {
    return legacy_.keep_in(std::move(desk), address);
  }

  // A durable session has ended: so do client contexts and streams that belong to it.
  void end_session(const std::string& id);
  // It has changed: its clients are told to read the lists again.
  void session_changed(const std::string& id);
  // Listen streams get their answer, sessions end, their calls are cancelled.
  void end_of(const Whose& whose);
  // Listen streams and sessions' own streams; each is asked about as whoever opened it.
  void close_streams_of(const Whose& whose);
  // The host stops. First the streams that only bring news; requests under way go on.
  void stop();
  // Then, when nothing is served any more, the sessions, which are not over for their clients.
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
