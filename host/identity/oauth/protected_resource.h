// Writes the metadata with which clients find out how to get a token for this host (RFC 9728). The
// functions of this header have no side effects.
#pragma once

#include <string>
#include <string_view>

#include "identity/oauth/token_claims.h"

namespace host::identity {

class ProtectedResource {
 public:
  // `url` is this host's MCP URL, as clients write it.
  ProtectedResource(std::string url, std::string issuer, TokenScopes scopes);

  // Returns true if RFC 9728 reserves the path for this metadata, on any host.
  static bool is_metadata_path(std::string_view path);
  // Returns true for RFC 9728's well-known path, alone or followed by the path of this host's MCP
  // URL.
  bool has_metadata_at(std::string_view path) const;
  // Returns the metadata. The only listed scope is `call`, so that a client that requests all
  // listed scopes gets only the scope `call`.
  std::string metadata() const;

  // Returns `, scope="...", resource_metadata="..."`, the end of a WWW-Authenticate header.
  std::string hint(Scope needed) const;

 private:
  const std::string url_;
  const std::string issuer_;
  const TokenScopes scopes_;
  std::string origin_;
  std::string path_;  // path of `url`; empty: no path
};

}  // namespace host::identity
