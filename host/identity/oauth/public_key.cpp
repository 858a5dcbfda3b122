#include "identity/oauth/public_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <string>

namespace host::identity {
namespace {

constexpr int kFewestRsaBits = 2048;
constexpr int kMostRsaBits = 8192;  // a check of a larger one costs more than a token is worth
constexpr BN_ULONG kLeastExponent = 65'537;
constexpr int kMostExponentBits = 64;
constexpr std::size_t kCurveBytes = 32;  // of a coordinate, and of half a signature

template <auto Free>
struct FreedBy {
  template <class T>
  void operator()(T* it) const {
    Free(it);
  }
};

using BigNumber = std::unique_ptr<BIGNUM, FreedBy<BN_free>>;
using FieldBuilder = std::unique_ptr<OSSL_PARAM_BLD, FreedBy<OSSL_PARAM_BLD_free>>;
using KeyFields = std::unique_ptr<OSSL_PARAM, FreedBy<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, FreedBy<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreedBy<EVP_MD_CTX_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, FreedBy<ECDSA_SIG_free>>;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

BigNumber number_from(std::string_view bytes) {
  return BigNumber(BN_bin2bn(raw(bytes), static_cast<int>(bytes.size()), nullptr));
}

Error no_key(const char* why) {
  return {ErrorKind::InvalidArgument, why};
}

// Null: OpenSSL takes no such key. What it queued as errors is nobody's any more.
std::shared_ptr<EVP_PKEY> made_of(const char* type, OSSL_PARAM_BLD* builder) {
  const KeyFields fields(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  const bool made = fields && context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
                    EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, fields.get()) == 1;
  ERR_clear_error();
  return made ? std::shared_ptr<EVP_PKEY>(key, EVP_PKEY_free) : nullptr;
}

// JWS has r and s side by side, OpenSSL takes them in DER. Empty: it is no signature of P-256.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * kCurveBytes) return {};
  BigNumber r = number_from(signature.substr(0, kCurveBytes));
  BigNumber s = number_from(signature.substr(kCurveBytes));
  const EcSignature pair(ECDSA_SIG_new());
  if (!r || !s || !pair || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return {};
  // They are the pair's now.
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  const int length = i2d_ECDSA_SIG(pair.get(), nullptr);
  if (length <= 0) return {};
  std::string der(static_cast<std::size_t>(length), '\0');
  auto* at = reinterpret_cast<unsigned char*>(der.data());
  i2d_ECDSA_SIG(pair.get(), &at);
  return der;
}

bool set_padding(EVP_PKEY_CTX* context, Algorithm algorithm) {
  if (algorithm == Algorithm::Rs256)
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1;
  if (algorithm != Algorithm::Ps256) return true;
  // RFC 7518, 3.5: the salt is as long as the hash, and MGF1 is of the same hash.
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

}  // namespace

Result<PublicKey> PublicKey::rsa(std::string_view modulus, std::string_view exponent) {
  // Before anything is made of them: a number of a megabyte is none of ours.
  if (modulus.size() > kMostRsaBits / 8 + 1 || exponent.size() > kMostExponentBits / 8 + 1)
    return no_key("its modulus or exponent is too long");
  const BigNumber n = number_from(modulus);
  const BigNumber e = number_from(exponent);
  if (!n || !e || BN_num_bits(n.get()) < kFewestRsaBits)
    return no_key("its modulus has less than 2048 bits");
  if (BN_num_bits(n.get()) > kMostRsaBits) return no_key("its modulus has more than 8192 bits");
  const bool large = BN_num_bits(e.get()) > kMostExponentBits;
  const bool small = BN_num_bits(e.get()) <= 17 && BN_get_word(e.get()) < kLeastExponent;
  if (large || small || BN_is_odd(e.get()) == 0)
    return no_key("its exponent is not an odd number from 65537 on, of at most 64 bits");
  const FieldBuilder builder(OSSL_PARAM_BLD_new());
  if (!builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return no_key("there is no memory for it");
  }
  auto made = made_of("RSA", builder.get());
  if (!made) return no_key("it is no RSA key");
  return PublicKey(Type::Rsa, std::move(made));
}

Result<PublicKey> PublicKey::p256(std::string_view x, std::string_view y) {
  if (x.size() != kCurveBytes || y.size() != kCurveBytes)
    return no_key("a coordinate of P-256 has 32 bytes");
  std::string point = "\x04";  // uncompressed
  point += x;
  point += y;
  const FieldBuilder builder(OSSL_PARAM_BLD_new());
  if (!builder ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1) {
    return no_key("there is no memory for it");
  }
  auto made = made_of("EC", builder.get());
  if (!made) return no_key("it is no point of P-256");
  return PublicKey(Type::P256, std::move(made));
}

Result<PublicKey> PublicKey::ed25519(std::string_view bytes) {
  if (bytes.size() != kCurveBytes) return no_key("a key of Ed25519 has 32 bytes");
  EVP_PKEY* const made =
      EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, raw(bytes), bytes.size());
  ERR_clear_error();
  if (!made) return no_key("it is no key of Ed25519");
  return PublicKey(Type::Ed25519, Handle(made, EVP_PKEY_free));
}

bool PublicKey::fits(Algorithm algorithm) const {
  switch (algorithm) {
    case Algorithm::Rs256:
    case Algorithm::Ps256:
      return type_ == Type::Rsa;
    case Algorithm::Es256:
      return type_ == Type::P256;
    case Algorithm::EdDsa:
      return type_ == Type::Ed25519;
  }
  return false;
}

bool PublicKey::verifies(Algorithm algorithm, std::string_view text,
                         std::string_view signature) const {
  if (!fits(algorithm)) return false;
  std::string der;
  if (algorithm == Algorithm::Es256) {
    der = der_of(signature);
    signature = der;
  }
  const char* const hash = algorithm == Algorithm::EdDsa ? nullptr : "SHA256";
  const DigestContext digest(EVP_MD_CTX_new());
  EVP_PKEY_CTX* context = nullptr;  // the digest's
  const bool good =
      digest && !signature.empty() &&
      EVP_DigestVerifyInit_ex(digest.get(), &context, hash, nullptr, nullptr, handle_.get(),
                              nullptr) == 1 &&
      set_padding(context, algorithm) &&
      EVP_DigestVerify(digest.get(), raw(signature), signature.size(), raw(text), text.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace host::identity
