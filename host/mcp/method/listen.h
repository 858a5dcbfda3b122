// subscriptions/listen: what a client wants to hear of, as far as this host can tell it.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "mcp/peer/request.h"
#include "mcp/peer/services.h"
#include "mcp/peer/subscriptions.h"
#include "protocol/json_rpc.h"
#include "tool/offers.h"

namespace host::mcp {

// Bytes of the states that a stream begins with. They wait in its queue together, which holds a
// MiB (transport::HttpOptions::stream_bytes).
inline constexpr std::size_t kFirstTaskBytes = 512u << 10u;

// What of the wish is honoured: resources that are not offered and tasks that its principal does
// not have are left out, and found missing in the acknowledgement. A fault where the wish is
// malformed or names too many.
std::variant<News, protocol::Fault> read_listen(const Request& request, const Services& services);

// The first messages of the stream: what is honoured, then the state of tasks, which may have gone
// on since the client last heard of them. Tasks whose states have no room are taken out of
// `honoured`.
std::vector<std::string> first_messages(const Request& request, const Services& services,
                                        News& honoured);

// Whether a resource of this URI can be read, and so be followed.
bool is_offered(const tool::Offers& offers, std::string_view uri);

}  // namespace host::mcp
