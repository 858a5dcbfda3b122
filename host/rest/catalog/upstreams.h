// Serves /v1/upstreams, the list of the MCP servers whose tools this host serves. An operator can
// restart the servers, fetch their lists again, and accept their definitions.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class UpstreamRoutes {
 public:
  explicit UpstreamRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/upstreams", "GET", Scope::Admin, &UpstreamRoutes::list},
        Route{"/v1/upstreams/*/restart", "POST", Scope::Admin, &UpstreamRoutes::restart},
        Route{"/v1/upstreams/*/refresh", "POST", Scope::Admin, &UpstreamRoutes::refresh},
        Route{"/v1/upstreams/*/accept",
              "POST",
              Scope::Admin,
              &UpstreamRoutes::accept,
              {},
              Takes::Body},
        Route{"/v1/upstreams/*/login", "POST", Scope::Admin, &UpstreamRoutes::log_in},
        Route{"/v1/upstreams/*/login/answer",
              "POST",
              Scope::Admin,
              &UpstreamRoutes::finish_login,
              {},
              Takes::Body},
        Route{"/v1/upstreams/*/logout", "POST", Scope::Admin, &UpstreamRoutes::log_out},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> restart(const Asked& asked);
  awaitable<void> refresh(const Asked& asked);
  awaitable<void> accept(const Asked& asked);
  awaitable<void> log_in(const Asked& asked);
  awaitable<void> finish_login(const Asked& asked);
  awaitable<void> log_out(const Asked& asked);

  // `digest` is the digest of the accepted definitions. `digest` is empty for actions other than
  // accepting definitions.
  void note(const Asked& asked, std::string_view action, const std::string& about,
            const Result<void>& done, std::string_view digest = {});
  awaitable<void> answer(const Asked& asked, std::string action, std::string about,
                         Result<void> done, std::string digest = {});

  const Services& services_;
};

}  // namespace host::rest
