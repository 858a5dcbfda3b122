// Serves /v1/events, a stream of events that notifies clients of changed lists.
#pragma once

#include <memory>

#include "rest/route/call_news.h"
#include "rest/route/route.h"

namespace host::rest {

class EventRoutes {
 public:
  explicit EventRoutes(const Services& services);

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/events", "GET", Scope::Approve, &EventRoutes::follow},
    };
  }

 private:
  awaitable<void> follow(const Asked& asked);

  const Services& services_;
  const std::shared_ptr<CallNews> call_news_;
};

}  // namespace host::rest
