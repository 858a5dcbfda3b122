// Serves /v1/tools/external, which shows reviewers the calls that wait until a client executes
// them. /v1/tools/external lists the calls of all principals. Reviewers can send the results of
// external calls to /v1/tools/response.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class ExternalCallRoutes {
 public:
  explicit ExternalCallRoutes(const Services& services);

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/tools/external",
              "GET",
              Scope::Approve,
              &ExternalCallRoutes::list,
              {},
              Takes::Query},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
