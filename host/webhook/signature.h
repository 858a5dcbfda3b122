// Makes the signatures of Standard Webhooks (standardwebhooks.com): an HMAC-SHA256 over
// "ID.TIMESTAMP.BODY", written as "v1,BASE64". While a secret is being replaced, each event has
// signatures with the old and with the new secret, separated by a space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::webhook {

inline constexpr std::string_view kSecretPrefix = "whsec_";
inline constexpr std::size_t kLeastSecretBytes = 24;
inline constexpr std::size_t kMostSecretBytes = 64;

// Returns the bytes of a new random secret.
std::string make_secret();
// Returns "whsec_" and the bytes in base64. Receivers get the secret in the form that secret_text()
// returns.
std::string secret_text(std::string_view secret);
// Reads a secret in the form of secret_text() and returns its bytes. The returned Error does not
// contain the text, because the text can be a secret.
Result<std::string> read_secret(std::string_view text);

// Returns the value of the header webhook-signature. `timestamp` is in seconds since 1970.
// `secrets` contains the bytes of the secrets.
std::string signature_of(std::string_view id, std::uint64_t timestamp, std::string_view body,
                         const std::vector<std::string>& secrets);

}  // namespace host::webhook
