// Serves /v1/config and /v1/config/reload. /v1/config says whether the configuration file is in
// effect, but does not show its values. /v1/config/reload makes the host read the file again.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class ConfigurationRoutes {
 public:
  explicit ConfigurationRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/config", "GET", Scope::Admin, &ConfigurationRoutes::show},
        Route{"/v1/config/reload", "POST", Scope::Admin, &ConfigurationRoutes::reload},
    };
  }

 private:
  awaitable<void> show(const Asked& asked);
  awaitable<void> reload(const Asked& asked);

  const Services& services_;
};

}  // namespace host::rest
