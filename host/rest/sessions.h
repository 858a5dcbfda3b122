// /v1/sessions: sessions of the sender's principal; for administrators, all of them.
#pragma once

#include "rest/route.h"
#include "rest/session_body.h"
#include "session/session.h"

namespace host::rest {

class SessionRoutes {
 public:
  explicit SessionRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/sessions", "GET", Scope::Call, &SessionRoutes::list, Scope::Admin},
        Route{"/v1/sessions", "POST", Scope::Call, &SessionRoutes::create},
        Route{"/v1/sessions/*", "GET", Scope::Call, &SessionRoutes::show, Scope::Admin},
        Route{"/v1/sessions/*", "PATCH", Scope::Call, &SessionRoutes::change},
        Route{"/v1/sessions/*", "DELETE", Scope::Call, &SessionRoutes::end, Scope::Admin},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> create(const Asked& asked);
  awaitable<void> show(const Asked& asked);
  awaitable<void> change(const Asked& asked);
  awaitable<void> end(const Asked& asked);

  void note(const Asked& asked, const session::Session& session, std::string_view outcome);

  const Services& services_;
};

}  // namespace host::rest
