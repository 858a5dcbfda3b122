// Functions for MCP over HTTP that all protocol versions share: the protocol versions with sessions
// (until 2025-11-25) and the stateless protocol version (2026-07-28).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "protocol/envelope.h"
#include "protocol/json_rpc.h"
#include "transport/http/http.h"

namespace host::mcp {

inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
inline constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

inline constexpr std::string_view kCodeHeader = "X-Toolpost-TOTP";

inline bool has(const transport::HttpRequest& http, std::string_view header) {
  return http.header(header).data() != nullptr;
}

// Reads W3C Trace Context and Baggage from HTTP headers, unless the message's `_meta` has them.
inline void take_trace(const transport::HttpRequest& http, protocol::Envelope& envelope) {
  protocol::Trace sent = protocol::read_trace(http.header("traceparent"), http.header("tracestate"),
                                              http.header("baggage"));
  if (envelope.trace.parent.empty()) {
    envelope.trace.parent = std::move(sent.parent);
    envelope.trace.state = std::move(sent.state);
  }
  if (envelope.trace.baggage.empty()) envelope.trace.baggage = std::move(sent.baggage);
}

inline void refuse(transport::HttpExchange& exchange, int status, const protocol::Fault& fault) {
  exchange.respond(status, protocol::error_text(fault));
}

inline void refuse(transport::HttpExchange& exchange, int status, int code, std::string message,
                   protocol::Id id = {}) {
  refuse(exchange, status, protocol::Fault{code, std::move(message), std::move(id), {}});
}

// Refuses a request because a limit is reached. The response has Retry-After. `status` is 429 for a
// limit of the principal, 503 for a limit of the host.
inline void refuse_busy(transport::HttpExchange& exchange, int status, std::string message,
                        protocol::Id id) {
  const protocol::Fault fault{protocol::kBusy, std::move(message), std::move(id), {}};
  exchange.respond(status, protocol::error_text(fault), "application/json", {{"Retry-After", "1"}});
}

inline void accept(transport::HttpExchange& exchange) {
  exchange.respond(202, {}, {});
}

}  // namespace host::mcp
