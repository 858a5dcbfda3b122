#include "rest/api.h"

#include <algorithm>
#include <utility>

#include "rest/route_table.h"
#include "transport/json_answer.h"

namespace host::rest {

using boost::asio::awaitable;
using identity::Scope;

constexpr Api::Route Api::kRoutes[] = {
    {"/v1/approvals", "GET", Scope::Approve, &Api::list_approvals},
    {"/v1/approvals/*", "GET", Scope::Approve, &Api::show_approval},
    {"/v1/approvals/*", "POST", Scope::Approve, &Api::decide_approval},
    {"/v1/audit", "GET", Scope::Admin, &Api::list_audit},
    {"/v1/calls", "GET", Scope::Admin, &Api::list_calls},
    {"/v1/calls/*", "DELETE", Scope::Admin, &Api::end_call},
    {"/v1/events", "GET", Scope::Approve, &Api::follow_events},
    {"/v1/plugins", "GET", Scope::Admin, &Api::list_plugins},
    {"/v1/rules", "GET", Scope::Approve, &Api::list_rules},
    {"/v1/rules/*", "DELETE", Scope::Admin, &Api::remove_rule},
    {"/v1/skills", "GET", Scope::Call, &Api::list_skills},
    {"/v1/store", "GET", Scope::Approve, &Api::show_store},
    {"/v1/tools", "GET", Scope::Call, &Api::list_tools},
    // A code is a person's yes: what a model's harness holds, a key with the scope call, enrols
    // none.
    {"/v1/totp", "GET", Scope::Approve, &Api::show_codes},
    {"/v1/totp", "POST", Scope::Approve, &Api::enroll_codes},
    {"/v1/totp/confirm", "POST", Scope::Approve, &Api::confirm_codes},
    {"/v1/totp/recovery", "POST", Scope::Approve, &Api::renew_recovery},
    {"/v1/totp/remove", "POST", Scope::Approve, &Api::remove_codes},
    {"/v1/totp/principals", "GET", Scope::Admin, &Api::list_enrolled},
    {"/v1/totp/principals/*", "POST", Scope::Admin, &Api::unlock_enrolled},
    {"/v1/totp/principals/*", "DELETE", Scope::Admin, &Api::forget_enrolled},
};

namespace {

std::string_view without_alias(std::string_view path) {
  constexpr std::string_view kAlias = "/api";
  return path == "/api/v1" || path.starts_with("/api/v1/") ? path.substr(kAlias.size()) : path;
}

}  // namespace

Api::Api(Services services)
    : services_(std::move(services)),
      events_(std::make_shared<Events>(services_.io)),
      call_news_(std::make_shared<CallNews>(services_.io, services_.calls, [events = events_] {
        events->changed("calls", Scope::Admin);
      })) {}

std::string Api::way_of(const identity::Visitor& visitor) {
  return (visitor.way == identity::Way::Login ? "page:" : "rest:") + visitor.principal.name;
}

std::optional<Scope> Api::scope_of(std::string_view method, std::string_view path) {
  static_assert(each_request_has_one_row(kRoutes));
  path = without_alias(path);
  if (const Route* const route = row_for(kRoutes, method, path)) return route->scope;
  std::optional<Scope> most;
  for (const Route& route : kRoutes) {
    if (id_in(route.path, path) && (!most || route.scope > *most)) most = route.scope;
  }
  return most;
}

bool Api::is_below(std::string_view path) {
  path = without_alias(path);
  return path == "/v1" || path.starts_with("/v1/");
}

awaitable<void> Api::handle(transport::HttpExchange& exchange, const identity::Visitor& visitor) {
  const transport::HttpRequest& http = exchange.request();
  const std::string_view path = without_alias(http.path());
  if (const Route* const route = row_for(kRoutes, http.method(), path)) {
    const Asked asked{exchange, std::string(*id_in(route->path, path)), visitor};
    co_await (this->*route->answer)(asked);
    co_return;
  }
  std::string allowed;
  for (const Route& route : kRoutes) {
    if (id_in(route.path, path))
      allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  if (allowed.empty()) {
    co_return transport::answer_error(exchange, 404, "not_found",
                                      "no such path: docs/reference/rest.md lists those below /v1");
  }
  transport::answer_wrong_method(exchange, allowed);
}

awaitable<void> Api::follow_events(const Asked& asked) {
  struct Followed {
    approval::Approvals::Follower approvals;
    CallNews::Follower calls;
  };
  const auto followed = std::make_shared<Followed>();
  if (services_.approvals) {
    followed->approvals = services_.approvals->follow([weak = std::weak_ptr<Events>(events_)] {
      if (const auto events = weak.lock()) events->changed("approvals");
    });
  }
  const identity::Principal& principal = asked.visitor.principal;
  if (principal.scopes.has(Scope::Admin)) followed->calls = call_news_->follow();
  auto admitted = [&authenticator = services_.authenticator, visitor = asked.visitor] {
    return authenticator.still_admits(visitor);
  };
  const Events::Opened opened =
      events_->open(asked.exchange, principal, followed, std::move(admitted));
  if (opened == Events::Opened::Yes) co_return;
  const bool own = opened == Events::Opened::TooManyOfPrincipal;
  transport::answer_json(asked.exchange, own ? 429 : 503,
                         transport::error_json(own ? "too_many" : "unavailable",
                                               own ? "too many event streams of this principal are "
                                                     "open (limits.event_streams_per_principal)"
                                                   : "too many event streams are open"),
                         {{"Retry-After", "1"}});
  co_return;
}

}  // namespace host::rest
