// A place among the open streams for one request, or its answer that there is none.
#pragma once

#include <optional>

#include "protocol/json_rpc.h"
#include "session/services.h"
#include "session/stream_quota.h"
#include "transport/http.h"

namespace host::session {

// Nothing: the request was answered with 429 or 503.
std::optional<StreamQuota::Place> take_stream_place(transport::HttpExchange& exchange,
                                                    StreamQuota& quota, const Services& services,
                                                    const tool::Peer& who, const protocol::Id& id);

}  // namespace host::session
