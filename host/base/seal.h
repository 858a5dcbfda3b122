// Authenticated encryption (AES-256-GCM) of small secrets that have to be kept. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace host {

using SealKey = std::array<std::uint8_t, 32>;

// Nonce, ciphertext and tag. `about` is not kept: whoever opens it has to give the same, so that
// what was sealed for one thing cannot stand for another.
std::string seal(const SealKey& key, std::string_view secret, std::string_view about);

// Nothing: another key, another `about`, or changed bytes.
std::optional<std::string> unseal(const SealKey& key, std::string_view sealed,
                                  std::string_view about);

// Overwrites what must not stay in memory.
void wipe(std::string& secret);
void wipe(SealKey& key);

}  // namespace host
