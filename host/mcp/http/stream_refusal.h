// Refuses a request that would open one more stream than the limit on open streams allows.
#pragma once

#include <optional>

#include "mcp/http/principal_quota.h"
#include "mcp/peer/services.h"
#include "protocol/json_rpc.h"
#include "transport/http/http.h"

namespace host::mcp {

// Returns nullopt if the limit is reached. Before the function returns nullopt, it answers the
// request with 429 or 503.
std::optional<PrincipalQuota::Place> take_stream_place(transport::HttpExchange& exchange,
                                                       PrincipalQuota& quota,
                                                       const Services& services,
                                                       const tool::Peer& who,
                                                       const protocol::Id& id);

}  // namespace host::mcp
