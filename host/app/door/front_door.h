// The front door is the entry point of every HTTP request. The FrontDoor authenticates and
// authorizes the sender of an HTTP request before the host reads its body. The FrontDoor then
// passes an accepted request to MCP, REST, the console, or the pages for monitoring. Call the
// functions of this header on the I/O thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
  // Objects that are passed by reference must outlive the FrontDoor. The handler `behind` serves
  // all paths except the paths of REST and the console. `resource` is the metadata for clients that
  // need a token. `resource` can be null.
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

  // Before the FrontDoor serves a request, it calls the listener with the sender of the request.
  // `calls` is true if the sender may call tools.
  using OnSender = std::function<void(const tool::Peer& who, bool calls)>;
  void on_sender(OnSender listener) { on_sender_ = std::move(listener); }

  // Call stop() when the host stops. After stop(), the FrontDoor refuses all HTTP requests except
  // /healthz and /readyz.
  void stop() { stopping_ = true; }

  // Returns the sender of an admitted HTTP request. The endpoint of the request determines the
  // sender's agent. If the endpoint has no agent, the sender's key determines the agent. Returns
  // nullopt if the key was revoked after the request was admitted. If the result is nullopt, the
  // host must refuse the request.
  std::optional<tool::Peer> sender_of(const transport::HttpRequest& http);
  // Counts a request against the sender's rate limit. Call count_more() for each request after the
  // first in the body of an HTTP request.
  RequestRates::Counted count_more(const transport::HttpRequest& http);

 private:
  // The data about the sender of an admitted request.
  struct Sender final : transport::AdmittedSender {
    identity::Visitor visitor;
    tool::Peer who;
  };
  using SenderPtr = std::shared_ptr<const Sender>;
  // An Admission of a refused request also has a sender, if the credential of the request is valid.
  struct Admission {
    SenderPtr sender;  // null: the sender's credential is not valid
    std::optional<transport::HttpRefusal> refusal;
  };
  // The destination of an HTTP request and the scope that it needs. The request's method and path
  // determine the destination and the scope. The functions admit() and handle() use the same Way
  // for a request, so that both require the same scope.
  struct Way {
    enum class To { Page, Metadata, Rest, FileContent, Behind };
    To to = To::Behind;
    std::optional<identity::Scope> needed;  // nullopt: a public path that reveals nothing
    identity::Scopes instead = {};          // a sender with one of these scopes is accepted too
  };
  static Way way_of(const transport::HttpRequest& http);
  // Returns the sender in the form that the request limits need. The result points into the
  // arguments and the sessions, so the arguments and the sessions must outlive the result.
  RequestRates::Client client_of(const transport::HttpRequest& http, const Way& way,
                                 const Admission& found) const;
  Admission let_in(const transport::HttpRequest& http, identity::Scope needed,
                   identity::Scopes instead = {}) const;
  // If the credential that admit() found is still valid, admitted() returns the sender that admit()
  // found. Otherwise admitted() calls let_in().
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
  OnSender on_sender_;  // null: no listener
  bool stopping_ = false;
};

}  // namespace host::app
