#include "token_maker.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <stdexcept>
#include <vector>

#include "base/text/encoding.h"

namespace host::test {
namespace {

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("the test's own cryptography failed: ") + what);
}

constexpr std::size_t kHalf = 32;

std::string sides_of(const std::vector<unsigned char>& der) {
  const unsigned char* at = der.data();
  ECDSA_SIG* const pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  require(pair != nullptr, "DER");
  std::vector<unsigned char> sides(2 * kHalf);
  BN_bn2binpad(ECDSA_SIG_get0_r(pair), sides.data(), kHalf);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair), sides.data() + kHalf, kHalf);
  ECDSA_SIG_free(pair);
  return {sides.begin(), sides.end()};
}

}  // namespace

IssuerKey::IssuerKey(evp_pkey_st* key) : key_(key, EVP_PKEY_free) {
  require(key != nullptr, "a key");
}

IssuerKey IssuerKey::rsa(std::size_t bits, unsigned exponent) {
  EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr);
  EVP_PKEY* key = nullptr;
  BIGNUM* const e = BN_new();
  BN_set_word(e, exponent);
  require(EVP_PKEY_keygen_init(context) == 1, "RSA");
  require(EVP_PKEY_CTX_set_rsa_keygen_bits(context, static_cast<int>(bits)) == 1, "RSA");
  require(EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, e) == 1, "RSA");
  require(EVP_PKEY_generate(context, &key) == 1, "RSA");
  BN_free(e);
  EVP_PKEY_CTX_free(context);
  return IssuerKey(key);
}

IssuerKey IssuerKey::ec(const char* curve) {
  return IssuerKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve));
}

IssuerKey IssuerKey::ed25519() {
  return IssuerKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
}

std::string IssuerKey::number(const char* parameter, std::size_t bytes) const {
  BIGNUM* value = nullptr;
  require(EVP_PKEY_get_bn_param(key_.get(), parameter, &value) == 1, parameter);
  std::vector<unsigned char> out(bytes ? bytes : static_cast<std::size_t>(BN_num_bytes(value)));
  BN_bn2binpad(value, out.data(), static_cast<int>(out.size()));
  BN_free(value);
  return base64url({reinterpret_cast<const char*>(out.data()), out.size()});
}

std::string IssuerKey::jwk(std::string_view members) const {
  const std::string begin = "{" + std::string(members);
  if (EVP_PKEY_is_a(key_.get(), "RSA") == 1) {
    return begin + R"("kty":"RSA","n":")" + number(OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
           number(OSSL_PKEY_PARAM_RSA_E) + "\"}";
  }
  if (EVP_PKEY_is_a(key_.get(), "EC") == 1) {
    const bool large = EVP_PKEY_get_bits(key_.get()) == 384;
    const std::size_t bytes = large ? 48 : kHalf;
    return begin + R"("kty":"EC","crv":")" + (large ? "P-384" : "P-256") + R"(","x":")" +
           number(OSSL_PKEY_PARAM_EC_PUB_X, bytes) + R"(","y":")" +
           number(OSSL_PKEY_PARAM_EC_PUB_Y, bytes) + "\"}";
  }
  std::string bytes(kHalf, '\0');
  std::size_t length = bytes.size();
  require(EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(bytes.data()),
                                      &length) == 1,
          "Ed25519");
  return begin + R"("kty":"OKP","crv":"Ed25519","x":")" + base64url(bytes) + "\"}";
}

std::string IssuerKey::public_pem() const {
  BIO* const out = BIO_new(BIO_s_mem());
  require(PEM_write_bio_PUBKEY(out, key_.get()) == 1, "PEM");
  char* text = nullptr;
  const long length = BIO_get_mem_data(out, &text);
  std::string pem(text, static_cast<std::size_t>(length));
  BIO_free(out);
  return pem;
}

std::string IssuerKey::sign(std::string_view algorithm, std::string_view text) const {
  EVP_MD_CTX* const digest = EVP_MD_CTX_new();
  EVP_PKEY_CTX* context = nullptr;
  const char* const hash = algorithm == "EdDSA" ? nullptr : "SHA256";
  require(EVP_DigestSignInit_ex(digest, &context, hash, nullptr, nullptr, key_.get(), nullptr) == 1,
          "signing");
  if (algorithm == "PS256") {
    require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1, "PSS");
    require(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1, "PSS");
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t length = 0;
  require(EVP_DigestSign(digest, nullptr, &length, bytes, text.size()) == 1, "signing");
  std::vector<unsigned char> out(length);
  require(EVP_DigestSign(digest, out.data(), &length, bytes, text.size()) == 1, "signing");
  out.resize(length);
  EVP_MD_CTX_free(digest);
  return algorithm == "ES256" ? sides_of(out) : std::string(out.begin(), out.end());
}

std::string key_set_of(std::string_view jwks) {
  return "{\"keys\":[" + std::string(jwks) + "]}";
}

std::string unsigned_token(std::string_view header, std::string_view claims) {
  return base64url(header) + "." + base64url(claims);
}

std::string signed_by(const IssuerKey& key, std::string_view algorithm, std::string_view header,
                      std::string_view claims) {
  const std::string text = unsigned_token(header, claims);
  return text + "." + base64url(key.sign(algorithm, text));
}

}  // namespace host::test
