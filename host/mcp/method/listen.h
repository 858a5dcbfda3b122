// subscriptions/listen: the notifications that a client requests, and which of them this host can
// send.
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

// Bytes of the task states at the beginning of a stream. They are in its queue together, whose
// limit is a MiB (transport::HttpOptions::stream_bytes).
inline constexpr std::size_t kFirstTaskBytes = 512u << 10u;

// Returns the accepted part of the request, without resources that are not offered and tasks that
// its principal does not have. The acknowledgement shows the client what is missing. A Fault: the
// request is malformed or names too many entries.
std::variant<News, protocol::Fault> read_listen(const Request& request, const Services& services);

// The first messages of the stream: the accepted part, then the states of its tasks, which may have
// changed since the client last read them. Tasks whose states do not fit are removed from
// `honoured`.
std::vector<std::string> first_messages(const Request& request, const Services& services,
                                        News& honoured);

// True if the resource with this URI can be read, and so can be followed.
bool is_offered(const tool::Offers& offers, std::string_view uri);

}  // namespace host::mcp
