// What a token may be signed with (RFC 7518, RFC 8037). Nothing symmetric stands here, so that no
// public key can be taken for a secret, and not `none`: neither can be configured.
#pragma once

#include <optional>
#include <string_view>

namespace host::identity {

enum class Algorithm { Rs256, Ps256, Es256, EdDsa };

// `Ed25519` is EdDSA too (RFC 9864).
std::optional<Algorithm> algorithm_from(std::string_view name);

}  // namespace host::identity
