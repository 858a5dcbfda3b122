// HTTP/1.1 as the floors above see it: a request read whole, and one answer, either a body or a
// stream of server-sent events. The server behind it (http_server.h) keeps to the limits of the
// configuration and checks Host and Origin before a body is read. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace host::transport {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Views stay good until the handler is done.
class HttpRequest {
 public:
  virtual ~HttpRequest() = default;
  virtual std::string_view method() const = 0;
  virtual std::string_view path() const = 0;   // decoded, without the query
  virtual std::string_view query() const = 0;  // as sent
  // The first field of this name, surrounding blanks removed; data() is nullptr where there is
  // none.
  virtual std::string_view header(std::string_view name) const = 0;
  // The name of an Mcp-* field that came more than once with different values; empty: none.
  virtual std::string_view contradicting_field() const { return {}; }
  virtual std::string_view body() const = 0;
  virtual std::string_view remote() const = 0;  // the peer's address
};

// The sending end of a stream of server-sent events. May outlive its exchange.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // Queues one `message` event; `id` is left out where empty. False once the peer is gone, or fell
  // so far behind that the stream was closed.
  virtual bool send(std::string_view data, std::string_view id = {}) = 0;
  virtual bool comment(std::string_view text) = 0;
  // An event without data: where to come back after (its id), and when.
  virtual bool prime(std::string_view id, std::chrono::milliseconds retry) = 0;
  virtual void close() = 0;  // after what is queued
  // Another request's answer will come here: a server that stops waits for it as for its own.
  virtual void bring_answer() {}
  virtual bool open() const = 0;
};

class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual const HttpRequest& request() const = 0;

  // Exactly one of these, once.
  virtual void respond(int status, std::string body,
                       std::string_view content_type = "application/json",
                       Headers headers = {}) = 0;
  // The head leaves at once with status 200; events follow until close(). The connection serves no
  // further request meanwhile; handle() may return while the stream lives on.
  virtual std::shared_ptr<EventStream> stream(Headers headers = {}) = 0;

  // `callback` runs once if the peer goes away before its answer was complete.
  virtual void on_disconnect(std::function<void()> callback) = 0;
};

// An answer without the handler's work, see HttpHandler::admit().
struct HttpRefusal {
  int status = 401;
  std::string kind;  // "unauthorized", "denied", ...: see error_json()
  std::string message;
  Headers headers;
};

// How an error is written that no handler answered.
enum class ErrorForm { JsonRpc, Rest };

// What is known of a request when its head is read.
struct Admission {
  std::optional<HttpRefusal> refusal;  // the answer; no body is taken for it
  std::string principal;   // who a key, token or login shows; empty: nobody who is known
  bool essential = false;  // served also where all others of its address find no room
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Asked when the head is read, Host and Origin are allowed, and nothing of a body is.
  virtual Admission admit(const HttpRequest&) { return {}; }
  // For requests to this path, whether or not it is served.
  virtual ErrorForm error_form(std::string_view) const { return ErrorForm::JsonRpc; }
  // Answers one request. An exception is the host's fault: 500 with an id that the log explains.
  virtual boost::asio::awaitable<void> handle(HttpExchange& exchange) = 0;
};

}  // namespace host::transport
