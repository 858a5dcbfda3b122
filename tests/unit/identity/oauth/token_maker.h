// An issuer that a test plays: its keys, made by OpenSSL, and tokens signed with them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace host::test {

class IssuerKey {
 public:
  static IssuerKey rsa(std::size_t bits = 2048, unsigned exponent = 65'537);
  static IssuerKey ec(const char* curve = "P-256");
  static IssuerKey ed25519();

  // A JWK with the public part; `members` come in front of it: R"("kid":"a",)".
  std::string jwk(std::string_view members = {}) const;
  std::string public_pem() const;
  // As JWS has it, by RS256, PS256, ES256 or EdDSA.
  std::string sign(std::string_view algorithm, std::string_view text) const;

 private:
  explicit IssuerKey(evp_pkey_st* key);
  std::string number(const char* parameter, std::size_t bytes = 0) const;

  std::shared_ptr<evp_pkey_st> key_;
};

std::string key_set_of(std::string_view jwks);  // comma-separated

// header.claims.signature; header and claims are JSON texts.
std::string signed_by(const IssuerKey& key, std::string_view algorithm, std::string_view header,
                      std::string_view claims);
std::string unsigned_token(std::string_view header, std::string_view claims);  // no signature yet

}  // namespace host::test
