// MCP's one endpoint over HTTP, for both eras. The era of a request is decided from its body first:
// what claims a version in `_meta` is of the stateless era and stands alone; everything else
// belongs to a session that `initialize` made, or is a bare call (`mcp.bare_calls`). I/O thread
// only.
#pragma once

#include <functional>
#include <string>

#include "session/http_legacy.h"
#include "session/http_modern.h"
#include "session/methods.h"
#include "transport/http.h"

namespace host::session {

class HttpEndpoint final : public transport::HttpHandler {
 public:
  // Who sent a request; it was authenticated before.
  using Identify = std::function<std::string(const transport::HttpRequest&)>;

  explicit HttpEndpoint(Methods& methods, Identify identify = nullptr);

  awaitable<void> handle(transport::HttpExchange& exchange) override;

  // The host stops: listen streams get their answer, sessions end, their calls are cancelled.
  void stop();

  std::size_t sessions() const { return legacy_.sessions(); }

 private:
  using Exchange = transport::HttpExchange;

  awaitable<void> post(Exchange& exchange);
  awaitable<void> post_one(Exchange& exchange, json::Document tree, protocol::Message message);
  std::string principal_of(const transport::HttpRequest& http) const;

  Methods& methods_;
  Identify identify_;
  HttpModern modern_;
  HttpLegacy legacy_;
};

}  // namespace host::session
