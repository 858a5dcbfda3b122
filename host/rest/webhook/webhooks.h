// Serves /v1/webhooks, which registers and changes the receivers of events. Each principal sees its
// own webhooks. Administrators see all webhooks.
#pragma once

#include "rest/route/route.h"
#include "webhook/webhooks.h"

namespace host::rest {

class WebhookRoutes {
 public:
  explicit WebhookRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/webhooks", "GET", Scope::Call, &WebhookRoutes::list},
        Route{"/v1/webhooks", "POST", Scope::Call, &WebhookRoutes::add, {}, Takes::Body},
        Route{"/v1/webhooks/*", "GET", Scope::Call, &WebhookRoutes::show},
        Route{"/v1/webhooks/*", "PATCH", Scope::Call, &WebhookRoutes::change, {}, Takes::Body},
        Route{"/v1/webhooks/*", "DELETE", Scope::Call, &WebhookRoutes::remove},
        Route{"/v1/webhooks/*/secret",
              "POST",
              Scope::Call,
              &WebhookRoutes::renew_secret,
              {},
              Takes::Body},
        Route{"/v1/webhooks/*/test", "POST", Scope::Call, &WebhookRoutes::test},
        Route{"/v1/webhooks/*/deliveries",
              "GET",
              Scope::Call,
              &WebhookRoutes::deliveries,
              {},
              Takes::Query},
        Route{
            "/v1/webhooks/*/replay", "POST", Scope::Call, &WebhookRoutes::replay, {}, Takes::Body},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> add(const Asked& asked);
  awaitable<void> show(const Asked& asked);
  awaitable<void> change(const Asked& asked);
  awaitable<void> remove(const Asked& asked);
  awaitable<void> renew_secret(const Asked& asked);
  awaitable<void> test(const Asked& asked);
  awaitable<void> deliveries(const Asked& asked);
  awaitable<void> replay(const Asked& asked);

  void note(const Asked& asked, const std::string& id, const std::string& url,
            std::string_view outcome);

  const Services& services_;
};

}  // namespace host::rest
