// Encrypts and authenticates small secrets before they are stored (AES-256-GCM). Any thread can
// call the functions of this header.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace host {

using SealKey = std::array<std::uint8_t, 32>;

// Returns the nonce, the ciphertext and the tag in one text. `about` names the secret's purpose.
// The encrypted secret does not contain `about`, but unseal() needs `about`. So a secret for one
// purpose cannot be used for another purpose.
std::string seal(const SealKey& key, std::string_view secret, std::string_view about);

// Returns the secret. Returns nullopt if `key` or `about` is not the one with which the secret was
// encrypted, or if the encrypted bytes were changed.
std::optional<std::string> unseal(const SealKey& key, std::string_view sealed,
                                  std::string_view about);

// Overwrites the bytes of a secret in memory.
void wipe(std::string& secret);
void wipe(SealKey& key);

}  // namespace host
