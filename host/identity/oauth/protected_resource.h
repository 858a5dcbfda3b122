// What this host says of itself to clients that look for a token for it (RFC 9728). Pure.
#pragma once

#include <string>
#include <string_view>

#include "identity/oauth/token_claims.h"

namespace host::identity {

class ProtectedResource {
 public:
  // `url` is where clients reach MCP here, as they write it.
  ProtectedResource(std::string url, std::string issuer, TokenScopes scopes);

  // Whether a path is one that RFC 9728 keeps for this, on any host.
  static bool is_metadata_path(std::string_view path);
  // The well-known path alone, or with the path of this host's MCP behind it.
  bool has_metadata_at(std::string_view path) const;
  // Names the scope to call alone: what asks for every scope that it reads of gets no more.
  std::string metadata() const;

  // The end of a WWW-Authenticate: `, scope="...", resource_metadata="..."`.
  std::string hint(Scope needed) const;

 private:
  const std::string url_;
  const std::string issuer_;
  const TokenScopes scopes_;
  std::string origin_;
  std::string path_;  // of `url`; empty where it has none
};

}  // namespace host::identity
