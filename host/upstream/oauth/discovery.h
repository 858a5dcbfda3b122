// Finds the authorization server of an upstream, in the order that protocol version 2026-07-28
// defines. To find the server, the host first reads the resource's metadata, at a URL in the
// upstream's challenge or at a well-known URL. The resource's metadata contain the URL of the
// authorization server, which has metadata too. A server with protocol version 2025-03-26 has no
// metadata of the resource, and is its own authorization server.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "outbound/gate.h"
#include "upstream/oauth/challenge.h"
#include "upstream/oauth/metadata.h"
#include "upstream/oauth/requests.h"

namespace host::upstream::oauth {

struct Discovered {
  ServerMetadata server;
  std::string resource;             // empty: the upstream has no metadata
  std::vector<std::string> scopes;  // the scopes that the upstream names; empty: none
};

// Returns the challenge in a response with status 401 or 403.
std::optional<Challenge> challenge_in(const outbound::Headers& headers);

// Discovers the authorization server. discover() is called on the I/O thread. `url` is the URL of
// the upstream. The returned Error contains the URL that failed.
boost::asio::awaitable<Result<Discovered>> discover(const Requests& requests, std::string url,
                                                    Challenge challenge);

}  // namespace host::upstream::oauth
