// Serves /v1/calls, the list of the calls that are waiting or running. An operator can cancel each
// waiting or running call. The list of calls includes tasks that were waiting for their client
// before a restart of the host and are still waiting.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class CallRoutes {
 public:
  explicit CallRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/calls", "GET", Scope::Admin, &CallRoutes::list},
        Route{"/v1/calls/*", "DELETE", Scope::Admin, &CallRoutes::end},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> end(const Asked& asked);
  // Ends a task that waits for its client and has no call in progress. Returns false if there is no
  // such task.
  bool end_task(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
