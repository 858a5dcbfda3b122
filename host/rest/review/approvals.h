// Serves /v1/approvals, which lists approval requests and takes a reviewer's decision.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class ApprovalRoutes {
 public:
  explicit ApprovalRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/approvals", "GET", Scope::Approve, &ApprovalRoutes::list, {}, Takes::Query},
        Route{"/v1/approvals/*", "GET", Scope::Approve, &ApprovalRoutes::show},
        Route{"/v1/approvals/*", "POST", Scope::Approve, &ApprovalRoutes::decide, {}, Takes::Body},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> show(const Asked& asked);
  awaitable<void> decide(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
