// Serves /v1/mcp/providers, which lists plugins and upstreams with the tools that the sender can
// see.
#pragma once

#include <string>

#include "rest/route/route.h"

namespace host::rest {

class ProviderRoutes {
 public:
  explicit ProviderRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/mcp/providers", "GET", Scope::Call, &ProviderRoutes::list, {}, Takes::Query},
        Route{"/v1/mcp/providers/*", "GET", Scope::Call, &ProviderRoutes::show, {}, Takes::Query},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> show(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
