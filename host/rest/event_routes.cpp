#include "rest/event_routes.h"

#include <utility>

#include "transport/json_answer.h"

namespace host::rest {

EventRoutes::EventRoutes(const Services& services)
    : services_(services),
      call_news_(std::make_shared<CallNews>(
          services.io, services.calls,
          [events = services.events] { events->changed("calls", Scope::Admin); })) {}

awaitable<void> EventRoutes::follow(const Asked& asked) {
  struct Followed {
    approval::Approvals::Follower approvals;
    CallNews::Follower calls;
  };
  const auto followed = std::make_shared<Followed>();
  if (services_.approvals) {
    followed->approvals =
        services_.approvals->follow([weak = std::weak_ptr<Events>(services_.events)] {
          if (const auto events = weak.lock()) events->changed("approvals");
        });
  }
  const identity::Principal& principal = asked.visitor.principal;
  if (principal.scopes.has(Scope::Admin)) followed->calls = call_news_->follow();
  auto admitted = [&authenticator = services_.authenticator, visitor = asked.visitor] {
    return authenticator.still_admits(visitor);
  };
  const Events::Opened opened =
      services_.events->open(asked.exchange, principal, followed, std::move(admitted));
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
