// A SignedToken is a token that the host has received (JWS in compact form, RFC 7515), split into
// its parts. Do not trust a SignedToken before its claims (token_claims.h) and its signature were
// checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "identity/oauth/algorithm.h"
#include "json/json.h"

namespace host::identity {

struct SignedToken {
  Algorithm algorithm = Algorithm::Rs256;
  std::optional<std::string> key_id;
  json::Document claims;         // an object
  std::string_view signed_part;  // points into the token's text
  std::string signature;
};

// Returns true if a bearer credential has three parts, as tokens have. An API key of this host
// never has three parts.
bool looks_like_token(std::string_view bearer);

// Errors contain only this host's own texts, so that the host can put them into an HTTP header.
Result<SignedToken> read_signed_token(std::string_view text);

}  // namespace host::identity
