// Serves /v1/problems, which describes the types of errors. The `type` of every error is a URL
// below /v1/problems.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class ProblemRoutes {
 public:
  explicit ProblemRoutes(const Services&) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/problems", "GET", Scope::Call, &ProblemRoutes::list, identity::kEveryScope},
        Route{"/v1/problems/*", "GET", Scope::Call, &ProblemRoutes::show, identity::kEveryScope},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> show(const Asked& asked);
};

}  // namespace host::rest
