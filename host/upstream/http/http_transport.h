// The transports for upstreams over HTTP are Streamable HTTP for protocol versions from 2025-03-26
// on, and HTTP with SSE for protocol version 2024-11-05.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "outbound/gate.h"
#include "upstream/connection/budget.h"
#include "upstream/connection/transport.h"
#include "upstream/http/authorizer.h"

namespace host::upstream {

// With `Auto`, the host uses Streamable HTTP first. If the upstream refuses `initialize` in the way
// of a server with protocol version 2024-11-05, the host uses HTTP with SSE.
enum class HttpKind { Auto, Streamable, Sse };

struct HttpUpstream {
  std::string url;
  outbound::Headers headers;               // headers of each request; may be secret
  std::shared_ptr<Authorizer> authorizer;  // adds access tokens to the requests
                                           // null: only `headers`
  HttpKind kind = HttpKind::Auto;
  std::size_t message_bytes = 16u << 20u;  // maximum size of one message
  // `short_answer` is the time limit for the response to a message that is not a request. Servers
  // answer notifications and responses of the host immediately.
  std::chrono::milliseconds short_answer{10'000};
  // `budget` is the budget of the upstream. All connections to the upstream share this budget.
  std::shared_ptr<Budget> budget = std::make_shared<Budget>(0, 4 * (16u << 20u));
};

// Returns the Error InvalidArgument if the URL is neither http nor https.
Result<std::unique_ptr<Transport>> make_http_transport(boost::asio::any_io_executor io,
                                                       std::shared_ptr<outbound::Gate> gate,
                                                       HttpUpstream settings);

}  // namespace host::upstream
