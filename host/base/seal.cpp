#include "base/seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <memory>
#include <span>
#include <stdexcept>

#include "base/digest.h"

namespace host {
namespace {

constexpr std::size_t kNonceBytes = 12;  // random: 2^32 of one key are safe, and few are made
constexpr std::size_t kTagBytes = 16;

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

enum class Way { Seal, Unseal };

void require(bool ok) {
  if (!ok) throw std::runtime_error("cryptography failed: AES-256-GCM");
}

const std::uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
std::uint8_t* bytes(std::string& text) {
  return reinterpret_cast<std::uint8_t*>(text.data());
}

// Processes the whole input, without the tag.
Context run(Way way, const SealKey& key, std::string_view nonce, std::string_view about,
            std::string_view input, std::string& output) {
  Context context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  int count = 0;
  require(context != nullptr);
  require(EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(), bytes(nonce),
                            way == Way::Seal ? 1 : 0) == 1);
  require(EVP_CipherUpdate(context.get(), nullptr, &count, bytes(about),
                           static_cast<int>(about.size())) == 1);
  output.resize(input.size());
  require(EVP_CipherUpdate(context.get(), bytes(output), &count, bytes(input),
                           static_cast<int>(input.size())) == 1);
  return context;
}

}  // namespace

std::string seal(const SealKey& key, std::string_view secret, std::string_view about) {
  std::string nonce(kNonceBytes, '\0');
  random_bytes(std::span(bytes(nonce), nonce.size()));
  std::string output;
  const Context context = run(Way::Seal, key, nonce, about, secret, output);
  std::string tag(kTagBytes, '\0');
  int count = 0;
  std::uint8_t none[kTagBytes];
  require(EVP_CipherFinal_ex(context.get(), none, &count) == 1);
  require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag.data()) == 1);
  return nonce + output + tag;
}

std::optional<std::string> unseal(const SealKey& key, std::string_view sealed,
                                  std::string_view about) {
  if (sealed.size() < kNonceBytes + kTagBytes) return std::nullopt;
  const std::string_view nonce = sealed.substr(0, kNonceBytes);
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  sealed.remove_prefix(kNonceBytes);
  sealed.remove_suffix(kTagBytes);
  std::string output;
  const Context context = run(Way::Unseal, key, nonce, about, sealed, output);
  int count = 0;
  std::uint8_t none[kTagBytes];
  require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) == 1);
  if (EVP_CipherFinal_ex(context.get(), none, &count) == 1) return output;
  wipe(output);
  return std::nullopt;
}

void wipe(std::string& secret) {
  OPENSSL_cleanse(secret.data(), secret.size());
}

void wipe(SealKey& key) {
  OPENSSL_cleanse(key.data(), key.size());
}

}  // namespace host
