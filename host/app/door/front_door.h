// The entry point of every HTTP request. It authenticates and authorizes the sender before the body
// is read. Then it passes the request to MCP, REST, the console, or the pages for monitoring. I/O
// thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "admin/page.h"
#include "app/door/request_rates.h"
#include "config/config.h"
#include "identity/authenticator.h"
#include "identity/oauth/protected_resource.h"
#include "rest/api/api.h"
#include "rest/file/file_content.h"
#include "session/sessions.h"
#include "tool/call/peer.h"
#include "transport/http/http.h"

namespace host::app {

class FrontDoor final : public transport::HttpHandler {
 public:
  // References outlive it. `behind` serves all paths except those of REST and the console.
  // `resource`: the metadata for clients that need a token; may be null.
  FrontDoor(const config::Config& config, identity::Authenticator& authenticator, admin::Page& page,
            rest::Api& api, rest::FileContent& files, transport::HttpHandler& behind,
            const identity::ProtectedResource* resource, const session::Sessions& sessions,
            RequestRates& rates)
      : config_(config),
        authenticator_(authenticator),
        page_(page),
        api_(api),
        files_(files),
        behind_(behind),
        resource_(resource),
        sessions_(sessions),
        rates_(rates) {}

  transport::Admission admit(const transport::HttpRequest& http) override;
  bool may_stream(const transport::HttpRequest& http) const override;
  transport::ErrorForm error_form(std::string_view path) const override;
  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange) override;

  // Called before each request is served, with its sender. `calls`: the sender may call tools.
  using OnSender = std::function<void(const tool::Peer& who, bool calls)>;
  void on_sender(OnSender listener) { on_sender_ = std::move(listener); }

  // The host stops. Later requests are refused with this reason, except /healthz and /readyz.
  void stop() { stopping_ = true; }

  // The sender of an admitted request. Its agent is the agent of the endpoint, otherwise the agent
  // of the key. nullopt: the key was revoked meanwhile, so the request is not admitted any more.
  std::optional<tool::Peer> sender_of(const transport::HttpRequest& http);

 private:
  // The data about the sender of an admitted request.
  struct Sender final : transport::AdmittedSender {
    identity::Visitor visitor;
    tool::Peer who;
  };
  using SenderPtr = std::shared_ptr<const Sender>;
  using Admission = std::variant<SenderPtr, transport::HttpRefusal>;
  // The destination of a request and the scope that it needs, by its method and path together. Both
  // admission and serving use it, so they cannot differ.
  struct Way {
    enum class To { Page, Metadata, Rest, FileContent, Behind };
    To to = To::Behind;
    std::optional<identity::Scope> needed;  // nullopt: public, and reveals nothing about the host
    identity::Scopes instead = {};          // each of these scopes is also enough
  };
  static Way way_of(const transport::HttpRequest& http);
  Admission let_in(const transport::HttpRequest& http, identity::Scope needed,
                   identity::Scopes instead = {}) const;
  // The same, without a new authentication if the credential of admit() is still valid.
  Admission admitted(const transport::HttpRequest& http, identity::Scope needed,
                     identity::Scopes instead = {}) const;
  std::optional<transport::HttpRefusal> agent_refusal(const identity::Visitor& visitor,
                                                      std::string_view path,
                                                      std::string_view agent) const;
  void tell_sender(const Sender& sender) const;
  void tell_resource(transport::HttpExchange& exchange) const;

  const config::Config& config_;
  identity::Authenticator& authenticator_;
  admin::Page& page_;
  rest::Api& api_;
  rest::FileContent& files_;
  transport::HttpHandler& behind_;
  const identity::ProtectedResource* resource_;
  const session::Sessions& sessions_;
  RequestRates& rates_;
  OnSender on_sender_;  // null: nobody listens
  bool stopping_ = false;
};

}  // namespace host::app
