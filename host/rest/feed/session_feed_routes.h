// Serves the changes of a session's calls. /v1/sessions/{id}/events is a stream of events.
// /v1/sessions/{id}/results returns the results that a harness passes to its model. Both routes
// read the store, so a client can continue to read after a restart of the client or the host.
#pragma once

#include <memory>

#include "rest/feed/session_feed.h"
#include "rest/route/route.h"

namespace host::rest {

class SessionFeedRoutes {
 public:
  explicit SessionFeedRoutes(const Services& services);
  ~SessionFeedRoutes();

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/sessions/*/events",
              "GET",
              Scope::Call,
              &SessionFeedRoutes::follow,
              {},
              Takes::Query},
        Route{"/v1/sessions/*/results",
              "GET",
              Scope::Call,
              &SessionFeedRoutes::results,
              {},
              Takes::Query},
    };
  }

 private:
  awaitable<void> follow(const Asked& asked);
  awaitable<void> results(const Asked& asked);

  const Services& services_;
  const std::shared_ptr<SessionFeed> feed_;
};

}  // namespace host::rest
