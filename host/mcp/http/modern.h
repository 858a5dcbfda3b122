// Serves MCP over HTTP in the stateless protocol version (2026-07-28): every POST is independent of
// other requests. The functions of this header are called on the I/O thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "mcp/http/principal_quota.h"
#include "mcp/http/session.h"
#include "mcp/method/methods.h"
#include "transport/http/http.h"

namespace host::mcp {

class HttpModern {
 public:
  HttpModern(Methods& methods, PrincipalQuota& streams);
  ~HttpModern();

  // Answers a request that has a protocol version in `_meta`.
  awaitable<void> post(transport::HttpExchange& exchange, Request request);
  void notification(transport::HttpExchange& exchange, const protocol::Message& message);

  // Answers and ends the listen streams of peers for which `whose` returns true.
  void end_of(const Whose& whose);

  // Notifies the clients of a session, on their listen streams, that their lists can have changed.
  void session_changed(const std::string& session);

  // Reports that the host stops. stop() answers and ends all listen streams.
  void stop();

 private:
  struct Bad {
    int status;
    protocol::Fault fault;
  };
  struct ListenStream;

  std::optional<Bad> modern_fault(const transport::HttpRequest& http, Request& request) const;
  std::optional<Bad> mirrored_fault(const transport::HttpRequest& http, Request& request) const;
  void listen(transport::HttpExchange& exchange, const Request& request);

  Methods& methods_;
  PrincipalQuota& streams_;
  std::map<std::uint64_t, std::shared_ptr<ListenStream>> listens_;
  std::uint64_t last_listen_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // Expires with this object.
                                                                // Late callbacks check that.
};

}  // namespace host::mcp
