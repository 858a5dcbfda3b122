// /v1/tools/external: the calls of all principals that wait for somebody to execute them, for
// reviewers. They answer a call over /v1/tools/response.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class ExternalCallRoutes {
 public:
  explicit ExternalCallRoutes(const Services& services);

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/tools/external", "GET", Scope::Approve, &ExternalCallRoutes::list},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
