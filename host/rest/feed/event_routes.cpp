#include "rest/feed/event_routes.h"

#include <utility>

namespace host::rest {

EventRoutes::EventRoutes(const Services& services)
    : services_(services),
      call_news_(std::make_shared<CallNews>(
          services.io, services.calls,
          [events = services.events] { events->changed("calls", Scope::Admin); })) {}

awaitable<void> EventRoutes::follow(const Asked& asked) {
  if (answers_head(asked, "text/event-stream")) co_return;
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
  answer_too_many_streams(asked.exchange, opened);
}

}  // namespace host::rest
