// Signatures of Standard Webhooks (standardwebhooks.com): an HMAC-SHA256 over
// "ID.TIMESTAMP.BODY", as "v1,BASE64". While a secret is being replaced, there is one signature for
// each secret, separated by a space.
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

// The bytes of a new secret.
std::string make_secret();
// "whsec_" and the bytes in base64, as receivers need it.
std::string secret_text(std::string_view secret);
// The bytes. The error does not have the text.
Result<std::string> read_secret(std::string_view text);

// The value of the header webhook-signature. `timestamp`: seconds since 1970. `secrets`: bytes.
std::string signature_of(std::string_view id, std::uint64_t timestamp, std::string_view body,
                         const std::vector<std::string>& secrets);

}  // namespace host::webhook
