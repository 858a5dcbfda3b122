// The keys that an issuer signs with, as it publishes them (RFC 7517). No thread of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "identity/oauth/public_key.h"

namespace host::identity {

struct SigningKey {
  std::optional<std::string> id;  // `kid`
  std::optional<Algorithm> only;  // `alg`
  PublicKey key;

  bool fits(Algorithm algorithm) const {
    return key.fits(algorithm) && (!only || *only == algorithm);
  }
};

class KeySet {
 public:
  // Keys that can check no token (for encryption, symmetric, of another curve, too weak, published
  // with their private part) are left out, the others hold. An error where the whole is no set.
  static Result<KeySet> read(std::string_view text);

  // Those that a token with this `kid` may be signed with. One that names none has its key where
  // only one could be meant.
  std::vector<const SigningKey*> find(const std::optional<std::string>& id,
                                      Algorithm algorithm) const;

  std::size_t size() const { return keys_.size(); }
  // Why keys were left out, a text each.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::vector<SigningKey> keys_;
  std::vector<std::string> left_out_;
};

}  // namespace host::identity
