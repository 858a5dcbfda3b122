// Serves /v1/sessions/{id}/groups, which has the tool groups of a session and their state.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class SessionGroupRoutes {
 public:
  explicit SessionGroupRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/sessions/*/groups", "GET", Scope::Call, &SessionGroupRoutes::list, Scope::Admin},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
