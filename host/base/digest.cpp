#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>
#include <xxhash.h>

#include <cerrno>
#include <stdexcept>
#include <vector>

#include "base/encoding.h"

namespace host {
namespace {

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("cryptography failed: ") + what);
}

// Fetched once: an implicit fetch at each digest costs more than a short digest itself.
const EVP_MD* sha256_method() {
  static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  require(method != nullptr, "no SHA-256");
  return method;
}

struct Context {
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(handle); }
};

}  // namespace

Sha256 sha256(std::string_view bytes) {
  thread_local Context context;
  Sha256 out;
  require(EVP_DigestInit_ex2(context.handle, sha256_method(), nullptr) == 1 &&
              EVP_DigestUpdate(context.handle, bytes.data(), bytes.size()) == 1 &&
              EVP_DigestFinal_ex(context.handle, out.data(), nullptr) == 1,
          "SHA-256");
  return out;
}

Sha256 hmac_sha256(std::string_view key, std::string_view bytes) {
  Sha256 out;
  unsigned int length = 0;
  require(HMAC(sha256_method(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data(),
               &length) != nullptr,
          "HMAC");
  return out;
}

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new()) {
  require(EVP_DigestInit_ex2(static_cast<EVP_MD_CTX*>(context_), sha256_method(), nullptr) == 1,
          "SHA-256");
}

Sha256Stream::~Sha256Stream() {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_));
}

void Sha256Stream::add(std::string_view bytes) {
  require(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes.data(), bytes.size()) == 1,
          "SHA-256");
}

Sha256 Sha256Stream::finish() {
  Sha256 out;
  require(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), out.data(), nullptr) == 1,
          "SHA-256");
  return out;
}

std::string fast_digest(std::string_view bytes) {
  static const std::vector<std::uint8_t> secret = [] {
    std::vector<std::uint8_t> made(XXH3_SECRET_SIZE_MIN);
    random_bytes(made);
    return made;
  }();
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSecret(bytes.data(), bytes.size(),
                                                               secret.data(), secret.size()));
  return to_hex(std::span<const std::uint8_t>(canonical.digest, sizeof canonical.digest));
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out(bytes.size() * 2, '0');
  char* at = out.data();
  for (const std::uint8_t byte : bytes) {
    *at++ = kDigits[byte >> 4];
    *at++ = kDigits[byte & 15];
  }
  return out;
}

void random_bytes(std::span<std::uint8_t> out) {
  // The kernel's own generator: OpenSSL's would be made at the start for a few ids, and stay in
  // memory.
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t count = ::getrandom(out.data() + done, out.size() - done, 0);
    if (count < 0 && errno == EINTR) continue;
    require(count > 0, "no random bytes");
    done += static_cast<std::size_t>(count);
  }
}

std::string random_id(std::size_t bytes) {
  std::string raw(bytes, '\0');
  random_bytes(std::span(reinterpret_cast<std::uint8_t*>(raw.data()), raw.size()));
  return base64url(raw);
}

bool equal_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace host
