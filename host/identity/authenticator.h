// Authenticates HTTP requests by a key (a bearer credential or the header X-Agent-API-Key), by an
// issuer's token (a bearer credential), or by a login to the console (page_login.h). A request
// without credentials is anonymous, if the host allows anonymous requests.
//
// If a request has a credential that is not valid, the host refuses the request, even if it also
// has a valid credential. Exception: if a host has never had a key and has no token issuer, it
// ignores bearer texts that are not Toolpost keys. The host refuses a request with two different
// valid credentials, because it is not clear which credential the client means. The functions of
// this header are called on the I/O thread.
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
#include "tool/call/peer.h"
#include "transport/http/http.h"

namespace host::identity {

enum class Way { Anonymous, Key, Token, Login };

struct Visitor {
  Principal principal;
  Way way = Way::Anonymous;
  std::string agent;              // agent of the visitor's key; empty: no agent
  std::string key;                // id of the key that the visitor used directly or through a login
  std::string login;              // id of the login; empty: no login
  std::optional<WallTime> until;  // when the visitor's token expires
};

// Returns null if the visitor used a key, or needed no credential.
std::shared_ptr<const tool::Credential> credential_of(const Visitor& visitor);

class Authenticator {
 public:
  enum class Strangers { Served, Refused };

  // `identities` is null if the host has no store. A host without a store has neither keys nor
  // logins.
  Authenticator(std::shared_ptr<Identities> identities, Strangers strangers, const Clock& clock);

  // After take_tokens(), the Authenticator accepts the tokens of an issuer, and its challenges say
  // where a client gets a token. `check` and `resource` must outlive the Authenticator.
  void take_tokens(TokenCheck& check, const ProtectedResource& resource);

  // If the host refuses the request with a WWW-Authenticate challenge, the challenge names the
  // scope `needed`.
  std::variant<Visitor, transport::HttpRefusal> identify(const transport::HttpRequest& request,
                                                         Scope needed = Scope::Call);
  // Use scope_refusal() for HTTP requests that need the scope `needed` or one of the scopes
  // `instead`. Returns nullopt if the visitor has the scope, 401 if a key could help, and 403 if
  // the visitor's key does not have the scope.
  std::optional<transport::HttpRefusal> scope_refusal(const Visitor& visitor, Scope needed,
                                                      Scopes instead = {}) const;
  // Authenticates the request as identify() does, and checks the scope as scope_refusal() does.
  std::variant<Visitor, transport::HttpRefusal> admit(const transport::HttpRequest& request,
                                                      Scope needed, Scopes instead = {});

  // Returns true if the visitor's credential is still valid. Use still_admits() for calls and
  // streams that are still in progress.
  bool still_admits(const Visitor& visitor) const;

  // Counts a failed login with a login link. Returns true if this address has had too many
  // failures.
  bool failed(std::string_view address);

 private:
  using Found = std::variant<Visitor, transport::HttpRefusal>;

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
  TokenCheck* tokens_ = nullptr;  // null: no token is accepted
  const ProtectedResource* resource_ = nullptr;
  Tries failed_;  // by address
};

}  // namespace host::identity
