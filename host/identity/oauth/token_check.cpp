#include "identity/oauth/token_check.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "identity/oauth/signed_token.h"

namespace host::identity {
namespace {

constexpr std::size_t kMostHeld = 1024;

}  // namespace

// It is a digest: any of its bytes are as good as all.
std::size_t TokenCheck::DigestHash::operator()(const Sha256& digest) const {
  std::size_t hash = 0;
  std::memcpy(&hash, digest.data(), sizeof hash);
  return hash;
}

TokenCheck::TokenCheck(TokenRules rules, const Clock& clock, LookAgain look_again)
    : rules_(std::move(rules)), clock_(clock), look_again_(std::move(look_again)) {}

void TokenCheck::set_keys(KeySet keys) {
  keys_ = std::move(keys);
  held_.clear();
}

std::variant<Claims, TokenRefusal> TokenCheck::check(std::string_view token) {
  const Sha256 digest = sha256(token);
  const auto at = held_.find(digest);
  if (at != held_.end() && clock_.wall() < at->second.until) return at->second;
  return check_anew(token, digest);
}

// Claims before the signature: what is of another issuer, or has expired, asks nobody for keys.
std::variant<Claims, TokenRefusal> TokenCheck::check_anew(std::string_view token,
                                                          const Sha256& digest) {
  const auto read = read_signed_token(token);
  if (!read) return TokenRefusal{read.error().message, std::nullopt};
  const auto& algorithms = rules_.algorithms;
  if (std::find(algorithms.begin(), algorithms.end(), read->algorithm) == algorithms.end())
    return TokenRefusal{"the token is signed by no algorithm that is taken here", std::nullopt};
  auto claims = check_claims(read->claims.root(), rules_, clock_.wall());
  if (!claims) return TokenRefusal{claims.error().message, std::nullopt};
  const auto keys = keys_.find(read->key_id, read->algorithm);
  if (keys.empty()) {
    const auto retry_after = look_again_();
    return TokenRefusal{retry_after ? "the key of the token is not known yet: try again"
                                    : "the token is signed by no key of its issuer",
                        retry_after};
  }
  const bool good = std::any_of(keys.begin(), keys.end(), [&read](const SigningKey* one) {
    return one->key.verifies(read->algorithm, read->signed_part, read->signature);
  });
  if (!good) return TokenRefusal{"the token's signature is wrong", std::nullopt};
  remember(digest, *claims);
  return *std::move(claims);
}

void TokenCheck::remember(const Sha256& digest, const Claims& claims) {
  if (held_.size() >= kMostHeld) {
    const WallTime now = clock_.wall();
    std::erase_if(held_, [now](const auto& one) { return now >= one.second.until; });
    if (held_.size() >= kMostHeld) held_.clear();
  }
  held_.insert_or_assign(digest, claims);
}

}  // namespace host::identity
