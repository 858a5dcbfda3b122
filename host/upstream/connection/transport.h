// One connection to an upstream server: carries JSON-RPC messages both ways. The code above it
// (connection.h) writes and reads messages, and knows no transport. What only HTTP has (answer
// streams, session ids, mirrored headers, resumption, the older SSE endpoints) is behind this
// interface. What only stdio has (a process, its signals, its stderr) too.
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
  std::string name;    // of tools/call and prompts/get its name, of resources/read its URI
  // The version that the message is written for. Unset: it is `initialize`.
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
  // `request`: the request on whose answer stream it came; empty: the transport cannot know.
  virtual void message(std::string_view text, const protocol::Id& request) = 0;

  // This request will get no answer, but the connection goes on. InvalidArgument: the upstream
  // refused the request as one that it does not understand (most HTTP statuses of 4xx without an
  // error of JSON-RPC), as a server of an older protocol does. Denied: it wants other credentials.
  // Unavailable or NotFound: ended() follows with the same kind.
  virtual void failed(const protocol::Id& request, Reached reached, const Error& why) = 0;

  // Messages that belong to no request may have been lost: their stream was away for a time.
  virtual void missed() {}

  // The last call. Requests without an answer failed, and the upstream may have acted on them,
  // unless failed() said otherwise before. NotFound: the upstream has forgotten the session (HTTP
  // 404, or 400 from some servers), a new connection helps.
  virtual void ended(const Error& why) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;  // ends it without a word to the listener

  // `listener` outlives the transport. A failure to open comes as ended().
  virtual void open(TransportListener& listener) = 0;

  // Messages leave in their order, as far as the transport has an order.
  virtual void send(Outgoing message) = 0;

  // Nobody waits for this request's answer any more. Sends `notification`
  // (notifications/cancelled), unless the transport has its own way to say it.
  virtual void cancel(const protocol::Id& request, std::string notification) = 0;

  // The handshake is done. Streams for messages that belong to no request may be opened now.
  virtual void negotiated(protocol::Version version) = 0;

  // Ends the connection in good order: the HTTP session is deleted, the process is asked to exit
  // and killed after a time. ended() follows. No message is delivered any more.
  virtual void close() = 0;

  // Hands on nothing more for this time, so that an upstream that sends too much has to wait. What
  // was already read waits too. 0: it goes on. Optional.
  virtual void pause_reading(std::chrono::milliseconds) {}

  // How an upstream of an older protocol meets server/discover: by silence too (stdio), or only
  // with an answer (HTTP, where silence is an outage).
  virtual bool silence_means_legacy() const = 0;

  // For people: "pid 4711", "https://tools.example/mcp".
  virtual std::string describe() const = 0;

  // The last lines that the upstream wrote for people, the oldest first. Empty: it has no such way.
  virtual std::vector<std::string> last_lines() const { return {}; }
};

// Makes a transport for each new connection to the same upstream.
using TransportMaker = std::function<Result<std::unique_ptr<Transport>>()>;

}  // namespace host::upstream
