// Serves /v1/rules, which lists the rules of the configuration and the rules that reviewers stored,
// and removes stored rules.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class RuleRoutes {
 public:
  explicit RuleRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/rules", "GET", Scope::Approve, &RuleRoutes::list},
        Route{"/v1/rules/*", "DELETE", Scope::Admin, &RuleRoutes::remove},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> remove(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
