// MCP's one endpoint over HTTP, for both eras. The era of a request is decided from its body first:
// what claims a version in `_meta` is of the stateless era and stands alone; everything else
// belongs to a session that `initialize` made, or is a bare call (`mcp.bare_calls`). I/O thread
// only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "session/batch.h"
#include "session/http_session.h"
#include "session/list_changes.h"
#include "session/methods.h"
#include "session/post_reply.h"
#include "transport/http.h"

namespace host::session {

class HttpEndpoint final : public transport::HttpHandler {
 public:
  // Who sent a request; it was authenticated before.
  using Identify = std::function<std::string(const transport::HttpRequest&)>;

  explicit HttpEndpoint(Methods& methods, Identify identify = nullptr);
  ~HttpEndpoint() override;

  awaitable<void> handle(transport::HttpExchange& exchange) override;

  // The host stops: listen streams get their answer, sessions end, their calls are cancelled.
  void stop();

  std::size_t sessions() const { return sessions_.size(); }

 private:
  using Exchange = transport::HttpExchange;
  struct Bad {
    int status;
    protocol::Fault fault;
  };
  struct ListenStream;

  awaitable<void> post(Exchange& exchange);
  awaitable<void> post_one(Exchange& exchange, json::Document tree, protocol::Message message);

  awaitable<void> post_modern(Exchange& exchange, Request request);
  void post_modern_notification(Exchange& exchange, const protocol::Message& message);
  std::optional<Bad> modern_fault(const transport::HttpRequest& http, Request& request) const;
  std::optional<Bad> mirrored_fault(const transport::HttpRequest& http,
                                    const Request& request) const;
  void listen(Exchange& exchange, const Request& request);

  awaitable<void> post_legacy(Exchange& exchange, Request request);
  awaitable<void> post_in_session(Exchange& exchange, Request request,
                                  std::shared_ptr<HttpSession> session);
  awaitable<void> post_batch(Exchange& exchange, json::Document tree);
  awaitable<Reply> answer_in_session(std::shared_ptr<HttpSession> session, Request request);
  awaitable<void> answer_member(std::shared_ptr<HttpSession> session, Request request,
                                std::shared_ptr<Batch> batch);
  void initialize(Exchange& exchange, const Request& request);
  // The session that the request names; nullptr after it was answered that there is none.
  std::shared_ptr<HttpSession> find_session(Exchange& exchange, const protocol::Id& id);
  void get(Exchange& exchange);
  void remove(Exchange& exchange);

  std::string principal_of(const transport::HttpRequest& http) const;

  Methods& methods_;
  Identify identify_;
  HttpSessions sessions_;
  std::map<std::uint64_t, std::shared_ptr<ListenStream>> listens_;
  std::uint64_t last_listen_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for callbacks that may come late
};

}  // namespace host::session
