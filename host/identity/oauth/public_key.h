// A public key that signatures are checked with: the one door to OpenSSL's. Any thread.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "identity/oauth/algorithm.h"

struct evp_pkey_st;

namespace host::identity {

class PublicKey {
 public:
  // Numbers are big-endian bytes, as a JWK has them once base64url is off. Refused are RSA keys of
  // less than 2048 bits or more than 8192 and exponents that are even, below 65537 or beyond 64
  // bits; points that are not on P-256; and what has another length than its curve asks for.
  static Result<PublicKey> rsa(std::string_view modulus, std::string_view exponent);
  static Result<PublicKey> p256(std::string_view x, std::string_view y);
  static Result<PublicKey> ed25519(std::string_view bytes);

  // Whether keys of this type sign so: an RSA key by RS256 and PS256, the others by one each.
  bool fits(Algorithm algorithm) const;
  // `signature` as JWS has it. False for an algorithm that does not fit.
  bool verifies(Algorithm algorithm, std::string_view text, std::string_view signature) const;

 private:
  enum class Type { Rsa, P256, Ed25519 };
  using Handle = std::shared_ptr<evp_pkey_st>;

  PublicKey(Type type, Handle handle) : type_(type), handle_(std::move(handle)) {}

  Type type_;
  Handle handle_;
};

}  // namespace host::identity
