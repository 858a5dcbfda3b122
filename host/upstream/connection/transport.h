// One connection to an upstream server, which transfers JSON-RPC messages in both directions. The
// code above it (connection.h) writes and reads messages, and is independent of the transport. This
// interface hides the details of HTTP (answer streams, session ids, mirrored headers, resumption,
// the older SSE endpoints) and of stdio (a process, its signals, its stderr).
//
//     made -> open -> ended      It is used once. After its end the owner makes a new one.
//
// I/O thread only. No function calls the listener before it returns.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"

namespace host::upstream {

// One message to the upstream.
struct Outgoing {
  std::string text;    // JSON on one line, without its end
  std::string method;  // empty: `text` answers a request of the upstream
  protocol::Id id;     // of the request, or of the request that is answered; empty: notification
  std::string name;    // the name of tools/call and prompts/get, the URI of resources/read
  // The protocol version of the message. Unset: the message is `initialize`.
  std::optional<protocol::Version> version;
  // Arguments of a tool that 2026-07-28 mirrors in headers: the name after "Mcp-Param-", and the
  // value in the header's encoding.
  std::vector<std::pair<std::string, std::string>> mirrored;
};

// Whether an upstream may have acted on a request that failed.
enum class Reached { No, Perhaps };

class TransportListener {
 public:
  virtual ~TransportListener() = default;

  // One message of the upstream: untrusted bytes, at most as long as the transport's limit.
  // `request`: the request on whose answer stream the message arrived; empty: unknown.
  virtual void message(std::string_view text, const protocol::Id& request) = 0;

  // This request will get no answer, but the connection continues. InvalidArgument: the upstream
  // refused the request as one that it does not understand (most HTTP statuses of 4xx without an
  // error of JSON-RPC), as a server of an older protocol does. Denied: it requires different
  // credentials. Unavailable or NotFound: ended() follows with the same kind.
  virtual void failed(const protocol::Id& request, Reached reached, const Error& why) = 0;

  // Messages that belong to no request may have been lost, because their stream was interrupted.
  virtual void missed() {}

  // The last call. Requests without an answer have failed. The upstream may have acted on them,
  // unless an earlier failed() said Reached::No. NotFound: the upstream does not know the session
  // any more (HTTP 404, or 400 from some servers); a new connection helps.
  virtual void ended(const Error& why) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;  // ends it without a call of the listener

  // `listener` outlives the transport. If the connection cannot be opened, ended() is called.
  virtual void open(TransportListener& listener) = 0;

  // Messages are sent in their order, if the transport has an order.
  virtual void send(Outgoing message) = 0;

  // The answer to this request is no longer needed. Sends `notification` (notifications/cancelled),
  // unless the transport has a different way to cancel.
  virtual void cancel(const protocol::Id& request, std::string notification) = 0;

  // The handshake is done. Streams for messages that belong to no request may be opened now.
  virtual void negotiated(protocol::Version version) = 0;

  // Ends the connection in an orderly way: the HTTP session is deleted; the process is asked to
  // exit and killed after a time. ended() follows. No further message is delivered.
  virtual void close() = 0;

  // Delivers no message for this time, so that an upstream that sends too much has to wait. Bytes
  // that were already read wait too. 0: continue. Optional.
  virtual void pause_reading(std::chrono::milliseconds) {}

  // True (stdio): an upstream of an older protocol may not answer server/discover at all. False
  // (HTTP): it always answers, and a missing answer means an outage.
  virtual bool silence_means_legacy() const = 0;

  // A text for users: "pid 4711", "https://tools.example/mcp".
  virtual std::string describe() const = 0;

  // The last lines that the upstream wrote to its standard error, oldest first. Empty: the
  // transport has no such output.
  virtual std::vector<std::string> last_lines() const { return {}; }
};

// Makes a transport for each new connection to the same upstream.
using TransportMaker = std::function<Result<std::unique_ptr<Transport>>()>;

}  // namespace host::upstream
