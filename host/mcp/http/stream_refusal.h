// Takes a place among the open streams for one request, or answers that there is none.
#pragma once

#include <optional>

#include "mcp/http/stream_quota.h"
#include "mcp/peer/services.h"
#include "protocol/json_rpc.h"
#include "transport/http/http.h"

namespace host::mcp {

// nullopt: the request was answered with 429 or 503.
std::optional<StreamQuota::Place> take_stream_place(transport::HttpExchange& exchange,
                                                    StreamQuota& quota, const Services& services,
                                                    const tool::Peer& who, const protocol::Id& id);

}  // namespace host::mcp
