// A received token (JWS in compact form, RFC 7515), split into its parts. Nothing in it is trusted
// yet: token_claims.h and the signature decide that.
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
  std::string_view signed_part;  // part of the text that it was read from
  std::string signature;
};

// True if a bearer has three parts, as tokens do. A key of this host never has.
bool looks_like_token(std::string_view bearer);

// Errors contain only this host's own texts and are safe in a header.
Result<SignedToken> read_signed_token(std::string_view text);

}  // namespace host::identity
