// subscriptions/listen: what a client wants to hear of, as far as this host can tell it.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "mcp/peer/subscriptions.h"
#include "protocol/json_rpc.h"
#include "tool/offers.h"

namespace host::mcp {

// What of the wish is honoured: resources that are not offered are left out, and found missing in
// the acknowledgement. A fault where the wish is malformed, or names more than `most` resources.
std::variant<News, protocol::Fault> read_listen(const protocol::Message& message,
                                                const tool::Offers& offers, std::size_t most);

// The first message of the stream.
std::string acknowledgement(const protocol::Id& id, const News& honoured);

// Whether a resource of this URI can be read, and so be followed.
bool is_offered(const tool::Offers& offers, std::string_view uri);

}  // namespace host::mcp
