// Where every HTTP request comes in: who sent it and whether they may is decided here, before any
// of its body is read; then it goes to MCP, REST, the page, or what watches the host. I/O thread
// only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "admin/page.h"
#include "app/request_rates.h"
#include "config/config.h"
#include "identity/authenticator.h"
#include "identity/oauth/protected_resource.h"
#include "rest/api/api.h"
#include "rest/file/file_content.h"
#include "session/sessions.h"
#include "tool/peer.h"
#include "transport/http.h"

namespace host::app {

class FrontDoor final : public transport::HttpHandler {
 public:
  // References outlive it. `behind` serves all that is neither REST nor the page; `resource`, which
  // may be null, is what clients that look for a token are told.
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

  // Hears of everybody whose request is served, before it is; `calls`: they may call tools.
  using OnSender = std::function<void(const tool::Peer& who, bool calls)>;
  void on_sender(OnSender listener) { on_sender_ = std::move(listener); }

  // The host stops: what comes from here on, but for /healthz and /readyz, is told so.
  void stop() { stopping_ = true; }

  // The sender of an admitted request. Its agent is that of the endpoint, or else that of the key.
  // nullopt: the request is no longer admitted, because its key was revoked since.
  std::optional<tool::Peer> sender_of(const transport::HttpRequest& http);

 private:
  // What is known of the sender of an admitted request.
  struct Sender final : transport::AdmittedSender {
    identity::Visitor visitor;
    tool::Peer who;
  };
  using SenderPtr = std::shared_ptr<const Sender>;
  using Admission = std::variant<SenderPtr, transport::HttpRefusal>;
  // Where a request goes and what it needs, by its method and path together: asked when it is let
  // in and again when it is served, so that the two cannot differ.
  struct Way {
    enum class To { Page, Metadata, Rest, FileContent, Behind };
    To to = To::Behind;
    std::optional<identity::Scope> needed;  // nothing: it is public and tells nothing of the host
    identity::Scopes instead = {};          // each of these will do too
  };
  static Way way_of(const transport::HttpRequest& http);
  Admission let_in(const transport::HttpRequest& http, identity::Scope needed,
                   identity::Scopes instead = {}) const;
  // Same, without authenticating again if the credential of admit() is still valid.
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
