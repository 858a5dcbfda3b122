// Defines the signature algorithms that the host accepts for tokens (RFC 7518, RFC 8037). The list
// of accepted algorithms has no symmetric algorithm, so that a public key can never be used as a
// secret. The list does not contain the algorithm `none`. The configuration cannot add a signature
// algorithm to the accepted ones.
#pragma once

#include <optional>
#include <string_view>

namespace host::identity {

enum class Algorithm { Rs256, Ps256, Es256, EdDsa };

// Reads the `alg` of a token or key. `Ed25519` (RFC 9864) is a second name of EdDSA. Returns
// nullopt for any algorithm that the host does not accept.
std::optional<Algorithm> algorithm_from(std::string_view name);

}  // namespace host::identity
