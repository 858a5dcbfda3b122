// Reads the metadata in which an authorization server names the URL of its keys (RFC 8414, OpenID
// Connect Discovery). The functions of this header have no side effects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::identity {

// Returns the URLs at which the metadata can be, in the order that protocol version 2026-07-28
// defines (Authorization Server Metadata Discovery).
std::vector<std::string> metadata_urls(std::string_view issuer);

// Returns the `jwks_uri` of a metadata document. The Error Denied means that the document belongs
// to a different issuer. read_jwks_url() compares issuers' names byte by byte.
Result<std::string> read_jwks_url(std::string_view metadata, std::string_view issuer);

}  // namespace host::identity
