// Serves /v1/tools, /v1/plugins and /v1/store, which show the state of the host.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class ListingRoutes {
 public:
  explicit ListingRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/plugins", "GET", Scope::Admin, &ListingRoutes::list_plugins},
        Route{"/v1/store", "GET", Scope::Approve, &ListingRoutes::show_store},
        Route{"/v1/tools", "GET", Scope::Call, &ListingRoutes::list_tools},
    };
  }

 private:
  awaitable<void> list_plugins(const Asked& asked);
  awaitable<void> show_store(const Asked& asked);
  awaitable<void> list_tools(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
