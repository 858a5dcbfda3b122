// Decides whether a token is valid. The check covers first the token's form, then its claims, and
// then its signature with a key of the issuer. The TokenCheck remembers a valid token until it
// expires, so that the client's next request needs only a digest. The functions of this header are
// called on the I/O thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "base/clock.h"
#include "base/digest.h"
#include "identity/oauth/key_set.h"
#include "identity/oauth/token_claims.h"

namespace host::identity {

struct TokenRefusal {
  std::string why;  // safe in HTTP headers: a text of the host, with nothing from the token
  // `retry_after` is set only if the host cannot check the token yet, because it is fetching the
  // issuer's key. The client should send its request again after the time `retry_after`.
  std::optional<std::chrono::seconds> retry_after;
};

class TokenCheck {
 public:
  // The TokenCheck calls this function if no known key can have signed a token. Returns the time
  // after which the client should try again, if keys are being fetched or were unavailable. Returns
  // nullopt if the issuer has no keys other than the known ones.
  using LookAgain = std::function<std::optional<std::chrono::seconds>()>;

  TokenCheck(TokenRules rules, const Clock& clock, LookAgain look_again);

  // Replaces the keys of the issuer. set_keys() forgets the remembered tokens.
  void set_keys(KeySet keys);

  std::variant<Claims, TokenRefusal> check(std::string_view token);

 private:
  struct DigestHash {
    std::size_t operator()(const Sha256& digest) const;
  };

  std::variant<Claims, TokenRefusal> check_anew(std::string_view token, const Sha256& digest);
  void remember(const Sha256& digest, const Claims& claims);

  const TokenRules rules_;
  const Clock& clock_;
  const LookAgain look_again_;
  KeySet keys_;
  std::unordered_map<Sha256, Claims, DigestHash> held_;
};

}  // namespace host::identity
