// A Transport is one connection to an upstream server, which transfers JSON-RPC messages in both
// directions. The class Connection (connection.h) writes and reads the messages, and is independent
// of the transport. The interface Transport hides the details of HTTP (answer streams, session ids,
// mirrored headers, resumption, the older SSE endpoints) and of stdio (a process, its signals, its
// stderr).
//
// The owner of a transport opens it only once. After the end of a transport, its owner makes a new
// one.
//
// The functions of Transport are called on the I/O thread. A Transport never calls its listener
// from within one of the Transport's own functions.
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
#include "sandbox/apply.h"
#include "tool/provider/offers.h"

namespace host::upstream {

// An Outgoing is one message from the host to the upstream.
struct Outgoing {
  std::string text;    // JSON on one line, without line end
  std::string method;  // empty: `text` answers a request of the upstream
  // `id` is the id of the request, or of the request that this message answers; empty: the message
  // is a notification.
  protocol::Id id;
  // `asker` is the id of the host's request during which the upstream asked the question that this
  // message answers; empty: this message answers no question, or the question of a task.
  protocol::Id asker = {};
  std::string name;  // name of the tool or prompt, or URI for resources/read
  // `version` is the protocol version of the message; unset: the message is the request
  // `initialize`.
  std::optional<protocol::Version> version;
  // `mirrored` contains the arguments of a tool that the host repeats in HTTP headers (protocol
  // version 2026-07-28). Each pair of `mirrored` is the part of the header's name after
  // "Mcp-Param-", and the header's encoded value.
  std::vector<std::pair<std::string, std::string>> mirrored;
  // `is_alone` is true if no other request of the host waits for a response. A transport that
  // collects messages to send them together sends a message with `is_alone` immediately.
  bool is_alone = false;
};

// The enumeration Reached says whether an upstream can have acted on a failed request: No or
// Perhaps.
enum class Reached { No, Perhaps };

class TransportListener {
 public:
  virtual ~TransportListener() = default;

  // The transport calls message() for each message of the upstream. `text` is untrusted, and at
  // most as long as the transport's limit. `request` is the id of the request in whose response the
  // message arrived; empty: unknown.
  virtual void message(std::string_view text, const protocol::Id& request) = 0;

  // The transport calls names_lost_session() immediately before message() if the response to
  // `request` is an error which says that the upstream does not know the session. The upstream can
  // have acted on the request. leaving() or ended() follows with the Error NotFound.
  virtual void names_lost_session(const protocol::Id& request) { static_cast<void>(request); }

  // The transport calls failed() when a request will get no response while the connection
  // continues. The Error InvalidArgument means that the upstream does not understand the request.
  // Most HTTP statuses 4xx without a JSON-RPC error cause the Error InvalidArgument, because
  // servers with an older protocol version refuse unknown requests with these statuses. The Error
  // Denied means that the upstream requires different credentials. After the Errors Unavailable and
  // NotFound, ended() follows with the same kind of Error. The transport can call leaving() before
  // or after a failed() with the Error NotFound. A request also fails if the upstream has forgotten
  // the session and so does not get the answer to a question that it asked during this request.
  virtual void failed(const protocol::Id& request, Reached reached, const Error& why) = 0;

  // The transport calls missed() when messages that belong to no request can have been lost,
  // because their stream was interrupted.
  virtual void missed() {}

  // The transport calls leaving() when the upstream has forgotten the session, but responses to
  // open requests can still arrive. After leaving(), the transport sends nothing more. ended()
  // follows when no request waits.
  virtual void leaving(const Error& why) { static_cast<void>(why); }

  // The transport calls ended() last, when all requests without a response have failed. The
  // upstream can have acted on a failed request, unless failed() was called with Reached::No. The
  // Error NotFound means that the upstream does not know the session any more (HTTP 404, or 400
  // from some servers). After the Error NotFound, a new connection begins a new session.
  virtual void ended(const Error& why) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;  // ends the connection without calling the listener

  // Opens the connection. `listener` must outlive the transport. If the connection cannot be
  // opened, the transport calls ended().
  virtual void open(TransportListener& listener) = 0;

  // Sends a message. Over stdio, messages arrive in the order in which they were sent.
  virtual void send(Outgoing message) = 0;

  // Cancels a request whose response nobody needs any more. The function cancel() sends
  // `notification` (notifications/cancelled), unless the transport cancels in a different way.
  virtual void cancel(const protocol::Id& request, std::string notification) = 0;

  // Call negotiated() when the handshake is done. Before negotiated() is called, the transport
  // opens no streams for messages that belong to no request.
  virtual void negotiated(protocol::Version version) = 0;

  // Ends the connection in an orderly way. Over HTTP, close() deletes the session. Over stdio,
  // close() asks the process to exit, and kills the process after a time. ended() follows. After
  // close(), the transport delivers no message.
  virtual void close() = 0;

  // Call tools_were_read() when the host has compared the last list of tools with the accepted
  // definitions. Returns the tools that the transport itself left out of the last list of tools.
  virtual std::vector<tool::Refusal> tools_were_read() { return {}; }

  // Delivers no messages for the given time, so that an upstream that sends too much has to wait.
  // Messages that the transport has already read are delayed, too. pause_reading(0) ends the pause.
  // A transport that does not implement pause_reading() continues to deliver messages.
  virtual void pause_reading(std::chrono::milliseconds) {}

  // Returns true (stdio) if an upstream with an older protocol version can ignore server/discover.
  // Returns false over HTTP, where every upstream answers server/discover, and a missing response
  // means an outage.
  virtual bool silence_means_legacy() const = 0;

  // Returns true (stdio) if the upstream is a process of this host, which close() ends.
  virtual bool is_process() const { return false; }

  // Returns true (HTTP) if the upstream's tasks can outlive the connection, so that the host can
  // ask for the tasks on the next connection.
  virtual bool keeps_tasks() const { return false; }

  // Returns true if the server can be replaced without the host noticing the change, because there
  // is neither a session nor an open stream. Only HTTP transports return true.
  virtual bool may_be_replaced() const { return false; }

  // Returns a text for users, such as "pid 4711" or "https://tools.example/mcp".
  virtual std::string describe() const = 0;

  // Returns the last lines that the upstream wrote to its standard error, the oldest first. The
  // returned list is empty if the upstream has no standard error stream.
  virtual std::vector<std::string> last_lines() const { return {}; }

  // Returns the layers of the sandbox in which the upstream's process runs. The returned value is
  // empty if the upstream has no sandbox, or has not reported its sandbox yet.
  virtual sandbox::Applied sandbox() const { return {}; }
};

// A TransportMaker makes a transport for each new connection to the same upstream.
using TransportMaker = std::function<Result<std::unique_ptr<Transport>>()>;

}  // namespace host::upstream
