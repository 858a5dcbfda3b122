// Serves /v1/totp, which enrols the sender for one-time codes. Administrators can list the enrolled
// principals, unlock them and remove enrolments. The host shows the secret and the recovery codes
// once, and only to the principal that enrols.
//
// A one-time code proves that a person approves. Therefore clients whose key has only the scope
// `call`, like the harness of a model, cannot enrol.
#pragma once

#include "rest/route/route.h"

namespace host::rest {

class CodeRoutes {
 public:
  explicit CodeRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/totp", "GET", Scope::Approve, &CodeRoutes::show},
        Route{"/v1/totp", "POST", Scope::Approve, &CodeRoutes::enroll},
        Route{"/v1/totp/confirm", "POST", Scope::Approve, &CodeRoutes::confirm, {}, Takes::Body},
        Route{"/v1/totp/recovery",
              "POST",
              Scope::Approve,
              &CodeRoutes::renew_recovery,
              {},
              Takes::Body},
        Route{"/v1/totp/remove", "POST", Scope::Approve, &CodeRoutes::remove, {}, Takes::Body},
        Route{"/v1/totp/principals", "GET", Scope::Admin, &CodeRoutes::list_enrolled},
        Route{"/v1/totp/principals/*", "POST", Scope::Admin, &CodeRoutes::unlock, {}, Takes::Body},
        Route{"/v1/totp/principals/*", "DELETE", Scope::Admin, &CodeRoutes::forget},
    };
  }

 private:
  awaitable<void> show(const Asked& asked);
  awaitable<void> enroll(const Asked& asked);
  awaitable<void> confirm(const Asked& asked);
  awaitable<void> renew_recovery(const Asked& asked);
  awaitable<void> remove(const Asked& asked);
  awaitable<void> list_enrolled(const Asked& asked);
  awaitable<void> unlock(const Asked& asked);
  awaitable<void> forget(const Asked& asked);

  void note(const Asked& asked, const std::string& principal, std::string_view outcome);
  void refuse(const Asked& asked, const Error& error, const identity::JudgedCode& judged);
  void answer_about_enrolled(const Asked& asked, const Result<bool>& done,
                             std::string_view outcome);

  const Services& services_;
};

}  // namespace host::rest
