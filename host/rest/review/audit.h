// Serves /v1/audit, which searches the audit log: past calls with their decisions and outcomes, and
// all other audit lines.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include <optional>

#include "rest/route/route.h"

namespace host::rest {

class AuditRoutes {
 public:
  explicit AuditRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/audit", "GET", Scope::Admin, &AuditRoutes::list, {}, Takes::Query},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);

  const Services& services_;
  std::optional<boost::asio::thread_pool> reader_;  // the first search starts the thread
};

}  // namespace host::rest
