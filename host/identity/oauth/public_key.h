// A PublicKey checks signatures. public_key.cpp is the only file that uses OpenSSL for the
// signatures of tokens. The file base/minisign.cpp uses OpenSSL for the signatures of plugins'
// libraries. Any thread can call the functions of this header.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "identity/oauth/algorithm.h"

struct evp_pkey_st;

namespace host::identity {

class PublicKey {
 public:
  // The numbers are big-endian bytes, as decoded from the base64url of a JWK. rsa(), p256() and
  // ed25519() refuse RSA keys of less than 2048 or more than 8192 bits. RSA exponents are refused
  // if they are even, below 65537 or over 64 bits. Points that are not on P-256, and values whose
  // length does not fit their curve, are also refused.
  static Result<PublicKey> rsa(std::string_view modulus, std::string_view exponent);
  static Result<PublicKey> p256(std::string_view x, std::string_view y);
  static Result<PublicKey> ed25519(std::string_view bytes);

  // Returns true if keys of this type can sign with the algorithm. RSA keys can sign with the
  // algorithms RS256 and PS256. A key that is not an RSA key can sign with one algorithm only.
  bool fits(Algorithm algorithm) const;
  // Returns true if `signature`, in the form of JWS, is valid for `text`. verifies() returns false
  // if the algorithm does not fit the key.
  bool verifies(Algorithm algorithm, std::string_view text, std::string_view signature) const;

 private:
  enum class Type { Rsa, P256, Ed25519 };
  using Handle = std::shared_ptr<evp_pkey_st>;

  PublicKey(Type type, Handle handle) : type_(type), handle_(std::move(handle)) {}

  Type type_;
  Handle handle_;
};

}  // namespace host::identity
