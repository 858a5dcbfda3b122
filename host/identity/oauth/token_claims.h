// What a token has to say of itself to count here (RFC 7519, RFC 9068), its signature aside. Pure.
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

// The names that an issuer has for the scopes of this host; empty: no token has that one.
struct TokenScopes {
  std::string call;
  std::string approve;
  std::string admin;

  const std::string& name_of(Scope scope) const;
};

struct TokenRules {
  std::string issuer;
  std::vector<std::string> audiences;  // one of which a token has to be made for
  std::vector<Algorithm> algorithms;
  TokenScopes scopes;
  std::chrono::milliseconds leeway{0};  // by which the issuer's clock may differ
};

struct Claims {
  Principal principal;
  WallTime until;  // the first moment at which it does not hold any more
};

// Errors are made of this host's words alone, and fit into a header.
Result<Claims> check_claims(const json::Value& claims, const TokenRules& rules, WallTime now);

}  // namespace host::identity
