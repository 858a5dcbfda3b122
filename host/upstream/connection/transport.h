// One connection to an upstream server, which transfers JSON-RPC messages in both directions. The
// code above it (connection.h) writes and reads messages, and is independent of the transport. This
// interface hides the details of HTTP (answer streams, session ids, mirrored headers, resumption,
// the older SSE endpoints) and of stdio (a process, its signals, its stderr).
//
//     made -> open -> ended      Used once. After its end, the owner makes a new one.
//
// I/O thread only. The listener is never called from within a function of the transport.
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
#include "tool/provider/offers.h"

namespace host::upstream {

// One message to the upstream.
struct Outgoing {
  std::string text;    // JSON on one line, without the line end
  std::string method;  // empty: `text` answers a request of the upstream
  // Id of the request, or of the request that this message answers; empty: notification.
  protocol::Id id;
  std::string name;  // name of the tool or prompt, or URI for resources/read
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

  // Called for each message of the upstream. `text` is untrusted, and at most as long as the
  // transport's limit. `request`: the id of the request in whose response the message arrived;
  // empty: unknown.
  virtual void message(std::string_view text, const protocol::Id& request) = 0;

  // Called when a request will get no answer, while the connection continues. InvalidArgument: the
  // upstream does not understand the request (most HTTP statuses 4xx without a JSON-RPC error), as
  // a server of an older protocol version answers. Denied: the upstream requires different
  // credentials. Unavailable or NotFound: ended() follows with the same kind of Error.
  virtual void failed(const protocol::Id& request, Reached reached, const Error& why) = 0;

  // Called when messages that belong to no request may have been lost, because their stream was
  // interrupted.
  virtual void missed() {}

  // Called last. All requests without an answer have failed. The upstream may have acted on them,
  // except where failed() was called with Reached::No. NotFound: the upstream does not know the
  // session any more (HTTP 404, or 400 from some servers); a new connection helps.
  virtual void ended(const Error& why) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;  // ends the connection without calling the listener

  // Opens the connection. `listener` must outlive the transport. If the connection cannot be
  // opened, ended() is called.
  virtual void open(TransportListener& listener) = 0;

  // Sends a message. Over stdio, messages arrive in the order in which they were sent.
  virtual void send(Outgoing message) = 0;

  // Cancels a request whose answer is no longer needed. Sends `notification`
  // (notifications/cancelled), unless the transport cancels in a different way.
  virtual void cancel(const protocol::Id& request, std::string notification) = 0;

  // Call negotiated() when the handshake is done. After that, the transport may open streams for
  // messages that belong to no request.
  virtual void negotiated(protocol::Version version) = 0;

  // Ends the connection in an orderly way: over HTTP the session is deleted; over stdio the process
  // is asked to exit and is killed after a time. ended() follows. After close(), no message is
  // delivered.
  virtual void close() = 0;

  // Called when the host has compared the list of tools that it read last with the accepted
  // definitions. Returns the tools that the transport itself left out of that list.
  virtual std::vector<tool::Refusal> tools_were_read() { return {}; }

  // Stops delivering messages for the given time, so that an upstream that sends too much has to
  // wait. Bytes that were already read wait too. 0: continue. A transport need not support this.
  virtual void pause_reading(std::chrono::milliseconds) {}

  // Returns true (stdio) if an upstream of an older protocol version may leave server/discover
  // without any answer. Returns false (HTTP) if every upstream answers, so that a missing answer
  // means an outage.
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
