// The signature algorithms for tokens (RFC 7518, RFC 8037). There is no symmetric one, so that a
// public key can never be used as a secret, and no `none`. Neither can be configured.
#pragma once

#include <optional>
#include <string_view>

namespace host::identity {

enum class Algorithm { Rs256, Ps256, Es256, EdDsa };

// Reads the `alg` of a token or key. `Ed25519` (RFC 9864) is a second name of EdDSA. nullopt: a
// different algorithm.
std::optional<Algorithm> algorithm_from(std::string_view name);

}  // namespace host::identity
