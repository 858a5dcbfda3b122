// Decides whether a token counts: form, claims, then the signature by a key of its issuer. What
// held is remembered until it expires, so that a client's next request costs a digest. I/O thread
// only.
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
  std::string why;  // this host's words, fit for a header
  // Set: nobody can tell yet, for its key is being looked for; worth another try then.
  std::optional<std::chrono::seconds> retry_after;
};

class TokenCheck {
 public:
  // Asked where no key that is known could have signed a token. What it gives: keys are on their
  // way, or could not be had; nothing: the issuer has no other keys than these.
  using LookAgain = std::function<std::optional<std::chrono::seconds>()>;

  TokenCheck(TokenRules rules, const Clock& clock, LookAgain look_again);

  // In place of those before; what held by them is forgotten.
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
