// SHA-256 is taken as a function of libcrypto, not by EVP_MD_fetch(): a fetch reads the
// configuration and loads providers, 2 MiB of a host that needs one hash, and costs more than the
// digest of a short text. OpenSSL 3 calls these functions deprecated and keeps them.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/random.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <vector>

#include "base/text/encoding.h"

namespace host {
namespace {

constexpr std::size_t kBlockBytes = SHA256_CBLOCK;

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("cryptography failed: ") + what);
}

}  // namespace

struct Sha256Stream::State {
  SHA256_CTX context;
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {
  require(SHA256_Init(&state_->context) == 1, "SHA-256");
}

Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::add(std::string_view bytes) {
  require(SHA256_Update(&state_->context, bytes.data(), bytes.size()) == 1, "SHA-256");
}

Sha256 Sha256Stream::finish() {
  Sha256 out;
  require(SHA256_Final(out.data(), &state_->context) == 1, "SHA-256");
  return out;
}

Sha256 sha256(std::string_view bytes) {
  SHA256_CTX context;
  Sha256 out;
  require(SHA256_Init(&context) == 1 && SHA256_Update(&context, bytes.data(), bytes.size()) == 1 &&
              SHA256_Final(out.data(), &context) == 1,
          "SHA-256");
  return out;
}

// RFC 2104.
Sha256 hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string inner(kBlockBytes, '\0');
  if (key.size() > kBlockBytes) {
    const Sha256 hashed = sha256(key);
    std::copy(hashed.begin(), hashed.end(), inner.begin());
  } else {
    std::copy(key.begin(), key.end(), inner.begin());
  }
  std::string outer = inner;
  for (char& byte : inner) byte = static_cast<char>(byte ^ 0x36);
  for (char& byte : outer) byte = static_cast<char>(byte ^ 0x5c);
  inner += bytes;
  const Sha256 hash = sha256(inner);
  outer.append(reinterpret_cast<const char*>(hash.data()), hash.size());
  const Sha256 mac = sha256(outer);
  OPENSSL_cleanse(inner.data(), kBlockBytes);
  OPENSSL_cleanse(outer.data(), kBlockBytes);
  return mac;
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
  std::string id;
  do {
    random_bytes(std::span(reinterpret_cast<std::uint8_t*>(raw.data()), raw.size()));
    id = base64url(raw);
  } while (id.starts_with('-'));
  return id;
}

bool equal_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace host
