// The metadata of a protected resource (RFC 9728) and of an authorization server (RFC 8414, OpenID
// Connect Discovery), as an upstream and its authorization server publish them: untrusted. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::upstream::oauth {

struct ResourceMetadata {
  std::string resource;  // the identifier that requests for tokens name
  std::string issuer;    // the first authorization server
  std::vector<std::string> scopes;
};

// Where the metadata of the server at `url` may be, in the order of the specification.
std::vector<std::string> resource_metadata_urls(std::string_view url);

// Denied: it belongs to a different server than `url`.
Result<ResourceMetadata> read_resource_metadata(std::string_view text, std::string_view url);

struct ServerMetadata {
  std::string issuer;
  std::string authorization_endpoint;  // opened by a browser
  std::string token_endpoint;
  std::string registration_endpoint;  // empty: none
  std::string revocation_endpoint;    // empty: none
  std::vector<std::string> scopes;
  std::vector<std::string> auth_methods;  // of the token endpoint; empty: not given
  bool sends_issuer = false;              // its answers to a browser have `iss` (RFC 9207)
  bool reads_client_documents = false;    // a URL can be a client's id
};

// Denied: it belongs to a different issuer, or it does not support PKCE with S256.
Result<ServerMetadata> read_server_metadata(std::string_view text, std::string_view issuer);

// A server of 2025-03-26 without metadata has its endpoints at fixed paths of its origin.
ServerMetadata fixed_endpoints(std::string_view origin);

// True for an https URL, or an http URL of this machine, without spaces and control characters. A
// browser may open it.
bool is_endpoint(std::string_view url);

}  // namespace host::upstream::oauth
