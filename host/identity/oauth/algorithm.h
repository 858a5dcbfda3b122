// The signature algorithms for tokens (RFC 7518, RFC 8037). The list has no symmetric algorithm, so
// that a public key can never be used as a secret, and no `none`. The configuration cannot add
// them.
#pragma once

#include <optional>
#include <string_view>

namespace host::identity {

enum class Algorithm { Rs256, Ps256, Es256, EdDsa };

// Reads the `alg` of a token or key. `Ed25519` (RFC 9864) is a second name of EdDSA. nullopt: a
// different algorithm.
std::optional<Algorithm> algorithm_from(std::string_view name);

}  // namespace host::identity
