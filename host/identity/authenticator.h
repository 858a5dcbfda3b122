// Who sent a request: by a key (`Authorization: Bearer`, or X-Agent-API-Key), by a token of an
// issuer (`Authorization: Bearer` alone), by a login to the page (page_login.h), or nobody that is
// known, where the host serves such. What is shown and is not valid is refused, never taken for
// nothing, also next to something that is valid; except a text that no Toolpost host made, where
// there never was a key and is no issuer. Two valid ones that differ are refused: nobody can tell
// which one is meant. I/O thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "identity/identities.h"
#include "identity/oauth/protected_resource.h"
#include "identity/oauth/token_check.h"
#include "identity/page_login.h"
#include "identity/scopes.h"
#include "identity/tries.h"
#include "transport/http.h"

namespace host::identity {

enum class Way { Anonymous, Key, Token, Login };

struct Visitor {
  Principal principal;
  Way way = Way::Anonymous;
  std::string agent;  // that its key is for; empty: for none
  std::string key;    // id of the key that this is by, directly or through a login; empty: none
  std::string login;  // id of the login; empty: none
  std::optional<WallTime> until;  // of a token: from then on it is not valid
};

class Authenticator {
 public:
  enum class Strangers { Served, Refused };

  // `identities` null: there are no keys and no logins.
  Authenticator(std::shared_ptr<Identities> identities, Strangers strangers, const Clock& clock);

  // From here on tokens count too, and challenges say where to get one. Both outlive this.
  void take_tokens(TokenCheck& check, const ProtectedResource& resource);

  std::variant<Visitor, transport::HttpRefusal> identify(const transport::HttpRequest& request);
  // The same, for what needs a right, or one of `instead`. 401 where showing a key could help, 403
  // where this one does not have it.
  std::variant<Visitor, transport::HttpRefusal> admit(const transport::HttpRequest& request,
                                                      Scope needed, Scopes instead = {});

  // Whether what let this visitor in is valid still; for what it began and still goes on.
  bool still_admits(const Visitor& visitor) const;

  // A try to come in that failed elsewhere, by a link. True: there were too many from there.
  bool failed(std::string_view address);

 private:
  using Found = std::variant<Visitor, transport::HttpRefusal>;

  // `needed` is what a challenge asks for.
  Found find(const transport::HttpRequest& request, Scope needed);
  Found by_header(const transport::HttpRequest& request, std::string_view shown, Scope needed);
  std::optional<Visitor> by_key(std::string_view key);
  Found by_token(std::string_view token, std::string_view address, Scope needed);
  Found by_login(const transport::HttpRequest& request, const ShownLogin& shown, Scope needed);
  transport::HttpRefusal refused(std::string_view address, std::string_view why, Scope needed);
  Found two_shown(Scope needed) const;
  std::string challenge(std::string_view said, Scope needed) const;

  const std::shared_ptr<Identities> identities_;
  const Strangers strangers_;
  const Clock& clock_;
  TokenCheck* tokens_ = nullptr;  // null: none counts
  const ProtectedResource* resource_ = nullptr;
  Tries failed_;  // by address
};

}  // namespace host::identity
