// Checks the claims that a valid token must have (RFC 7519, RFC 9068). token_check.h checks the
// signature. The functions of this header have no side effects.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "identity/oauth/algorithm.h"
#include "identity/scopes.h"
#include "json/json.h"

namespace host::identity {

// The struct TokenScopes contains the issuer's names for the scopes of this host. If the issuer's
// name for a scope is empty, no token has the scope.
struct TokenScopes {
  std::string call;
  std::string approve;
  std::string admin;

  const std::string& name_of(Scope scope) const;
};

struct TokenRules {
  std::string issuer;
  std::vector<std::string> audiences;  // a token must have one of these audiences
  std::vector<Algorithm> algorithms;
  TokenScopes scopes;
  std::chrono::milliseconds leeway{0};  // how far the issuer's clock may differ from the host's
};

struct Claims {
  Principal principal;
  WallTime until;  // the token is valid before this time
};

// Errors contain only this host's own texts, so that the host can put them into an HTTP header.
Result<Claims> check_claims(const json::Value& claims, const TokenRules& rules, WallTime now);

}  // namespace host::identity
