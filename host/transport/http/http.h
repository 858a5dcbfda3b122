// Defines the interface to HTTP/1.1 for higher layers: a complete request, and one response, either
// a body or a stream of server-sent events. The server (http_server.h) enforces the configured
// limits, and checks Host and Origin before it reads a body. The functions of this header are
// called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "transport/http/problem.h"

namespace host::transport {

using Headers = std::vector<std::pair<std::string, std::string>>;

// An HttpRefusal is an error with which the server answers an HTTP request without calling the
// handler, see HttpHandler::admit().
struct HttpRefusal {
  Problem problem = Problem::Unauthorized;
  std::string message;
  Headers headers;
};

// An AdmittedSender is what a handler's admit() found out about the sender of a request. The
// handler defines the derived class. The handler gets the AdmittedSender back from
// HttpRequest::sender(), so that it does not authenticate the request a second time.
class AdmittedSender {
 public:
  virtual ~AdmittedSender() = default;
};

// A BodySink receives the body of a request piece by piece while the body arrives, so that the
// whole body is never in memory. If the BodySink is destroyed before the body has ended, the client
// has disconnected or the server has refused the request.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // Returns the longest time that the server allows for the whole request, from its first byte to
  // its last byte.
  virtual std::chrono::milliseconds timeout() const = 0;
  // take() receives the next piece of the body. The function take() must call `done` once, on the
  // I/O thread and after take() has returned. The server reads the next piece only after `done` was
  // called. If `done` gets a refusal, the server answers the request with this refusal.
  using Done = std::function<void(std::optional<HttpRefusal>)>;
  virtual void take(std::string piece, Done done) = 0;
};

// A BodySource is the body of a response, which the server reads piece by piece while it sends the
// response.
class BodySource {
 public:
  virtual ~BodySource() = default;
  virtual std::uint64_t bytes() const = 0;
  // Calls `done` once with the next piece, on the I/O thread and after next() has returned. Pieces
  // are not empty. After an Error the server closes the connection.
  virtual void next(std::function<void(Result<std::string>)> done) = 0;
};

// One HTTP request. The views that HttpRequest returns are valid until the handler has ended.
class HttpRequest {
 public:
  virtual ~HttpRequest() = default;
  virtual std::string_view method() const = 0;
  virtual std::string_view path() const = 0;   // decoded, without the query
  virtual std::string_view query() const = 0;  // the query as the client sent it, not decoded
  // Returns the value of the first field with this name, without surrounding blanks. data() of the
  // returned view is nullptr if there is no such field.
  virtual std::string_view header(std::string_view name) const = 0;
  // Returns the name of an Mcp-* field that came more than once with different values. The returned
  // name is empty if no Mcp-* field came more than once with different values.
  virtual std::string_view contradicting_field() const { return {}; }
  virtual std::string_view body() const = 0;    // empty if a BodySink received the body
  virtual std::string_view remote() const = 0;  // the client's address
  // Returns the result of the handler's admit() about the sender.
  virtual const std::shared_ptr<const AdmittedSender>& sender() const;
};

inline const std::shared_ptr<const AdmittedSender>& HttpRequest::sender() const {
  static const std::shared_ptr<const AdmittedSender> kNone;
  return kNone;
}

// An EventStream is a stream of server-sent events, to which a handler adds the events. An
// EventStream can outlive its exchange.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // Queues one `message` event. If `id` is empty, the event is sent without an id. Returns false if
  // the client has disconnected, or was so slow that the stream was closed.
  virtual bool send(std::string_view data, std::string_view id = {}) = 0;
  // Queues a comment, which keeps an idle connection open. comment() does nothing if the queue is
  // not empty.
  virtual bool comment(std::string_view text) = 0;
  // Queues an event without data. The event gives the id for a reconnection, and the time after
  // which the client can reconnect.
  virtual bool prime(std::string_view id, std::chrono::milliseconds retry) = 0;
  virtual void close() = 0;  // after the queued events
  // Marks the stream as one that will contain the response to another HTTP request. When the server
  // stops, it waits until the streams marked by bring_answer() have ended.
  virtual void bring_answer() {}
  virtual bool open() const = 0;
  // Returns the number of bytes in the stream's queue that the connection has not sent yet. If the
  // number of waiting bytes exceeds a limit, the stream is closed.
  virtual std::size_t waiting() const { return 0; }
  // The stream calls the passed function once, when the connection has sent the waiting bytes. The
  // stream never calls the passed function after the client has disconnected.
  virtual void when_taken(std::function<void()>) {}
};

class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual const HttpRequest& request() const = 0;

  // For each request, call exactly one of respond(), send_from() and stream(), once.
  virtual void respond(int status, std::string body,
                       std::string_view content_type = "application/json",
                       Headers headers = {}) = 0;
  virtual void send_from(int status, std::shared_ptr<BodySource> body,
                         std::string_view content_type, Headers headers) = 0;
  // stream() sends the head with status 200 immediately. Events follow the head until close() is
  // called. The connection serves no further request before close() is called. handle() can return
  // while the stream is open. If the stream is closed before handle() returns, the connection
  // closes too.
  virtual std::shared_ptr<EventStream> stream(Headers headers = {}) = 0;
  // Reports how many bytes of an unfinished response the handler keeps in memory. The kept bytes
  // count towards the limits on unread responses.
  virtual void gathers(std::size_t) {}
  // Call close_after_stream() before stream() if the stream may be closed before handle() returns.
  // After close_after_stream(), the response head says that the connection closes after the stream.
  virtual void close_after_stream() {}

  // The server calls `callback` once if the client disconnects before the response is complete.
  virtual void on_disconnect(std::function<void()> callback) = 0;

  // Replaces the headers from Admission::headers in the response. Call replace_headers() before the
  // response begins.
  virtual void replace_headers(Headers) {}
};

// ErrorForm is the form of the errors that the server itself sends.
enum class ErrorForm { JsonRpc, Rest };

// An Admission is the handler's decision about a request, made after the head was read and before
// the server reads the body.
struct Admission {
  std::optional<HttpRefusal> refusal;  // The answer with which the server refuses the request.
                                       // If admit() refuses the request, the server does not read
                                       // the body.
  std::string principal;               // the sender, by its key, token or login; empty: unknown
  bool essential = false;              // true: served even if the client's address is at its limit
  Headers headers = {};  // header fields for the answer, whether the handler or the server gives it
  std::shared_ptr<const AdmittedSender> sender = nullptr;  // for HttpRequest::sender()
  // `sink` receives the body of the request, which can be longer than limits.body_bytes. If `sink`
  // is null, the server reads the body into memory.
  std::shared_ptr<BodySink> sink = nullptr;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // The server calls admit() after it has read the head and accepted Host and Origin, and before it
  // reads the body.
  virtual Admission admit(const HttpRequest&) { return {}; }
  // Returns true if admit() can return a BodySink for this request. If may_stream() returns false
  // and a body is too long, the server refuses the body before it calls admit().
  virtual bool may_stream(const HttpRequest&) const { return false; }
  // Returns the form of errors for requests to this path, even if the handler does not serve the
  // path.
  virtual ErrorForm error_form(std::string_view) const { return ErrorForm::JsonRpc; }
  // Answers one request. If handle() throws an exception, the server responds with 500 and an id,
  // and the log gives the details under this id.
  virtual boost::asio::awaitable<void> handle(HttpExchange& exchange) = 0;
};

}  // namespace host::transport
