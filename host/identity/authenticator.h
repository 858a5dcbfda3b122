// Who sent a request: by a key (`Authorization: Bearer`, or X-Agent-API-Key), by a token of an
// issuer (`Authorization: Bearer` alone), by the cookie of a login to the page, or nobody that is
// known, where the host serves such. What is shown and does not hold is refused, never taken for
// nothing, once there is a key that holds or an issuer. I/O thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "base/clock.h"
#include "identity/identities.h"
#include "identity/oauth/protected_resource.h"
#include "identity/oauth/token_check.h"
#include "identity/scopes.h"
#include "transport/http.h"

namespace host::identity {

enum class Way { Anonymous, Key, Token, Login };

struct Visitor {
  Principal principal;
  Way way = Way::Anonymous;
  std::string agent;  // that its key is for; empty: for none
};

// `__Host-`: a browser takes it only for this host, whole, and from nobody else.
inline constexpr std::string_view kLoginCookie = "__Host-toolpost";
inline constexpr std::string_view kCsrfHeader = "X-Toolpost-CSRF";

// The secret of the login that a request's cookie names; empty: none.
std::string_view login_of(const transport::HttpRequest& request);
// What a request that changes something shows beside the cookie, which no other page can read.
std::string csrf_of(std::string_view login_secret);
// Whether a browser says that a page of this host sent it; what is no browser says nothing.
bool is_from_own_page(const transport::HttpRequest& request);

class Authenticator {
 public:
  enum class Strangers { Served, Refused };

  // `identities` null: there are no keys and no logins.
  Authenticator(std::shared_ptr<const Identities> identities, Strangers strangers,
                const Clock& clock);

  // From here on tokens count too, and challenges say where to get one. Both outlive this.
  void take_tokens(TokenCheck& check, const ProtectedResource& resource);

  std::variant<Visitor, transport::HttpRefusal> identify(const transport::HttpRequest& request);
  // The same, for what needs a right. 401 where showing a key could help, 403 where this one does
  // not have it.
  std::variant<Visitor, transport::HttpRefusal> admit(const transport::HttpRequest& request,
                                                      Scope needed);

  // A try to come in that failed elsewhere, by a link. True: there were too many from there.
  bool failed(std::string_view address);

 private:
  struct Tries {
    std::uint32_t count = 0;
    SteadyTime since{};
  };

  using Found = std::variant<Visitor, transport::HttpRefusal>;

  // `needed` is what a challenge asks for.
  Found find(const transport::HttpRequest& request, Scope needed);
  std::optional<Visitor> by_key(std::string_view key) const;
  Found by_token(std::string_view token, std::string_view address, Scope needed);
  transport::HttpRefusal refused(std::string_view address, std::string_view why, Scope needed);
  std::string challenge(std::string_view said, Scope needed) const;

  const std::shared_ptr<const Identities> identities_;
  const Strangers strangers_;
  const Clock& clock_;
  TokenCheck* tokens_ = nullptr;  // null: none counts
  const ProtectedResource* resource_ = nullptr;
  std::unordered_map<std::string, Tries> failed_;  // by address
};

}  // namespace host::identity
