// Serves /v1/calls, the list of the calls that wait or run. An operator can cancel each of these
// calls.
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

  const Services& services_;
};

}  // namespace host::rest
