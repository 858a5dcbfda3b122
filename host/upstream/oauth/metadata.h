// Reads the metadata of a protected resource (RFC 9728) and of an authorization server (RFC 8414,
// OpenID Connect Discovery). An upstream and its authorization server publish these metadata, and
// the metadata are untrusted. The functions of metadata.h have no side effects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::upstream::oauth {

struct ResourceMetadata {
  std::string resource;  // the `resource` of requests for tokens
  std::string issuer;    // the issuer of the first authorization server
  std::vector<std::string> scopes;
};

// Returns the URLs at which the metadata of the server at `url` can be, in the order of the
// specification.
std::vector<std::string> resource_metadata_urls(std::string_view url);

// The Error Denied means that the metadata belong to a different server than `url`.
Result<ResourceMetadata> read_resource_metadata(std::string_view text, std::string_view url);

struct ServerMetadata {
  std::string issuer;
  std::string authorization_endpoint;  // the URL that a browser opens
  std::string token_endpoint;
  std::string registration_endpoint;  // empty: none
  std::string revocation_endpoint;    // empty: none
  std::vector<std::string> scopes;
  std::vector<std::string> auth_methods;  // how clients can authenticate at the token endpoint
  bool sends_issuer = false;              // redirects to the callback have the parameter `iss`
                                          // see RFC 9207
  bool reads_client_documents = false;    // the server accepts a URL as client id
};

// The Error Denied means that the metadata belong to a different issuer, or that the server does
// not support PKCE with S256.
Result<ServerMetadata> read_server_metadata(std::string_view text, std::string_view issuer);

// Returns the endpoints of a server with protocol version 2025-03-26 that has no metadata: fixed
// paths of its origin.
ServerMetadata fixed_endpoints(std::string_view origin);

// Returns true if a browser can open `url`: it is https, or http on this machine, and has no space
// and no control character.
bool is_endpoint(std::string_view url);

}  // namespace host::upstream::oauth
