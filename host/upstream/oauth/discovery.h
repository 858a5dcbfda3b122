// Finds the authorization server of an upstream, in the order of MCP 2026-07-28: from its challenge
// or a well-known URL to the metadata of the resource, and from there to the metadata of the
// authorization server. A server of 2025-03-26 has no metadata of the resource, and is its own
// authorization server.
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
  std::vector<std::string> scopes;  // that the upstream names; empty: none
};

// The challenge in an answer with status 401 or 403.
std::optional<Challenge> challenge_in(const outbound::Headers& headers);

// I/O thread only. `url`: of the upstream. Errors name the URL that failed.
boost::asio::awaitable<Result<Discovered>> discover(const Requests& requests, std::string url,
                                                    Challenge challenge);

}  // namespace host::upstream::oauth
