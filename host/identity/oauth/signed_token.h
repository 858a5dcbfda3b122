// A token as it comes (JWS in its compact form, RFC 7515), taken apart. Nothing of it is believed
// yet: token_claims.h and a signature decide that.
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
  std::string_view signed_part;  // of the text that it was read from
  std::string signature;
};

// Whether a bearer has three parts, and so is meant as one; a key of this host never has.
bool looks_like_token(std::string_view bearer);

// Errors are made of this host's words alone, and fit into a header.
Result<SignedToken> read_signed_token(std::string_view text);

}  // namespace host::identity
