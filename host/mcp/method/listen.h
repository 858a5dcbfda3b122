// subscriptions/listen: checks which of the requested notifications this host can send.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "mcp/peer/request.h"
#include "mcp/peer/services.h"
#include "mcp/peer/subscriptions.h"
#include "protocol/json_rpc.h"
#include "tool/provider/offers.h"

namespace host::mcp {

// The maximum size of all task states together at the beginning of a stream. The task states must
// fit into the stream's queue of 1 MiB (transport::HttpOptions::stream_bytes).
inline constexpr std::size_t kFirstTaskBytes = 512u << 10u;

// Returns the part of the subscriptions/listen request that the host accepts. The function
// read_listen() leaves out resources that the host does not offer, and tasks that the request's
// principal does not have. Returns a Fault if the request is malformed or has too many entries.
std::variant<News, protocol::Fault> read_listen(const Request& request, const Services& services);

// Returns the first messages of the stream: the accepted part of the request, and then the current
// states of the tasks in it. The task states can have changed since the client last read them.
// first_messages() removes tasks whose states are too large from `honoured`.
std::vector<std::string> first_messages(const Request& request, const Services& services,
                                        News& honoured);

// Returns true if the host offers the resource. Clients can subscribe only to offered resources.
bool is_offered(const tool::Offers& offers, std::string_view uri);

}  // namespace host::mcp
