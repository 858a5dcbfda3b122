// A KeySet contains the signing keys that an issuer has published (RFC 7517). A KeySet is not
// thread-safe.
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
  // Reads a key set. The function skips keys that must not check tokens: encryption keys, symmetric
  // keys, weak keys, keys of unsupported curves, and keys that were published with their private
  // part. Returns an Error if the text is not a key set.
  static Result<KeySet> read(std::string_view text);

  // Returns the keys that can have signed a token with this `kid` and this algorithm. For a token
  // without `kid`, the function returns a key only if exactly one key fits the algorithm.
  std::vector<const SigningKey*> find(const std::optional<std::string>& id,
                                      Algorithm algorithm) const;

  std::size_t size() const { return keys_.size(); }
  // Returns the reasons why keys were skipped, one text for each key.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::vector<SigningKey> keys_;
  std::vector<std::string> left_out_;
};

}  // namespace host::identity
