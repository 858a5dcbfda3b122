// Serves HTTP/1.1. The server listens, checks and reads requests, passes complete requests to the
// handler, and enforces all limits that protect the host from clients. The functions of HttpServer
// are called on the I/O thread.
//
// If Host or Origin is not allowed, or the head is malformed, the server refuses the request before
// it reads the body, and closes the connection. Timers are not precise, because one periodic sweep
// checks the timers of all connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "transport/http/http.h"

namespace boost::asio {
class io_context;
}

namespace host::transport {

struct HttpOptions {
  using Duration = std::chrono::milliseconds;

  std::string listen = "127.0.0.1:8808";  // port 0: any free port; or "unix:/PATH"
  std::vector<std::string>
      allowed_hosts;  // besides localhost, 127.0.0.1 and [::1]; a name without a port: any port
  std::vector<std::string> allowed_origins;  // Origins of this machine are always allowed.
                                             // (localhost, 127.0.0.1 and [::1])
  std::uint64_t body_bytes = 4u << 20u;
  std::size_t request_line_bytes = 8u << 10u;
  std::size_t header_bytes = 32u << 10u;
  std::size_t header_fields = 100;
  std::size_t connections = 16'384;
  std::size_t connections_per_address = 512;    // connections of clients without a key
  std::size_t connections_per_principal = 512;  // connections of clients with a key
  std::size_t connections_kept_back = 32;       // see ConnectionTable
  std::uint64_t bodies_bytes = 256u << 20u;     // bodies of all requests in flight
  std::uint64_t bodies_bytes_per_principal = 64u << 20u;
  Duration header_timeout{15'000};
  Duration body_timeout{15'000};     // longest time without a new byte of a body
  Duration request_timeout{60'000};  // time from the first byte of a request to its last
  Duration keep_alive{60'000};
  Duration write_timeout{30'000};  // longest time in which the client reads no byte
  // `stream_comment` is the interval at which the server sends a comment on an idle stream, so that
  // proxies do not close the stream.
  Duration stream_comment{15'000};
  // `stream_bytes` is the maximum number of unsent bytes in the queue of one stream. If a stream's
  // queue exceeds `stream_bytes` when another event is added, the server closes the stream.
  std::size_t stream_bytes = 1u << 20u;
  std::function<void()> before_write;  // runs before each write to a client; may be empty
  // The server calls `on_refusal` when a limit is reached. The function `on_refusal` can be empty.
  std::function<void(std::string_view limit)> on_refusal;
};

class HttpServer {
 public:
  // The server listens as soon as listen() returns. The server serves requests as soon as `io`
  // runs. `handler` and `io` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> listen(boost::asio::io_context& io,
                                                    HttpHandler& handler, HttpOptions options);
  // The destructor of HttpServer closes every connection immediately.
  ~HttpServer();

  // Returns the address on which the server listens: "127.0.0.1:8808", "[::1]:8808",
  // "unix:/run/toolpost.sock".
  std::string address() const;
  std::uint16_t port() const;
  std::size_t connections() const;
  std::uint64_t body_bytes() const;  // bodies of all requests in flight

  // Stops the server. During stop(), current responses can finish within `grace`, including
  // streamed responses. If a stream's handler has returned, the stream ends after its queued
  // events, unless bring_answer() was called for the stream. The server calls `done` once, when the
  // last connection with a current response is closed. Until close(), an idle or new connection can
  // still send one request, so that the handler can respond that the host is stopping. stop() does
  // not wait for idle connections.
  void stop(std::chrono::milliseconds grace, std::function<void()> done);
  // Replaces the grace time of stop() by `grace`, counted from the call of limit_grace().
  void limit_grace(std::chrono::milliseconds grace);
  // Stops listening, and closes every connection immediately.
  void close();

 private:
  class Core;
  explicit HttpServer(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace host::transport
