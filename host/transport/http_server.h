// The HTTP/1.1 server: listens, checks and reads requests, hands each whole to the handler and
// keeps every limit that protects the host from its peers. I/O thread only.
//
// A request is refused here, before its body is read, where Host or Origin is not allowed or the
// head is no strict HTTP: the connection is closed then. Timers are coarse: one sweep looks at all
// connections.
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
#include "transport/http.h"

namespace boost::asio {
class io_context;
}

namespace host::transport {

struct HttpOptions {
  using Duration = std::chrono::milliseconds;

  std::string listen = "127.0.0.1:8808";  // port 0: any free one; or "unix:/PATH"
  std::vector<std::string>
      allowed_hosts;  // beside localhost, 127.0.0.1 and [::1]; any port unless one is named
  std::vector<std::string> allowed_origins;  // beside those of the same three names
  std::uint64_t body_bytes = 4u << 20u;
  std::size_t request_line_bytes = 8u << 10u;
  std::size_t header_bytes = 32u << 10u;
  std::size_t header_fields = 100;
  std::size_t connections = 16'384;
  std::size_t connections_per_address = 512;    // of senders that have shown no key
  std::size_t connections_per_principal = 512;  // of one that is known
  std::size_t connections_kept_back = 32;       // see ConnectionTable
  std::uint64_t bodies_bytes = 256u << 20u;     // of all requests in flight
  std::uint64_t bodies_bytes_per_principal = 64u << 20u;
  Duration header_timeout{15'000};
  Duration body_timeout{15'000};     // without a byte
  Duration request_timeout{60'000};  // from the first byte of a request to its last
  Duration keep_alive{60'000};
  Duration write_timeout{30'000};  // without a byte
  Duration stream_comment{
      15'000};  // on an idle stream, so that nobody between us takes it for dead
  std::size_t stream_bytes = 1u << 20u;  // queued for one stream; a slower receiver loses it
  std::function<void()> before_write;    // runs before each write to a peer; may be empty
  std::function<void(std::string_view limit)> on_refusal;  // a limit was reached; may be empty
};

class HttpServer {
 public:
  // Listens at once; requests are served as soon as `io` runs. `handler` and `io` outlive the
  // server.
  static Result<std::unique_ptr<HttpServer>> listen(boost::asio::io_context& io,
                                                    HttpHandler& handler, HttpOptions options);
  // Closes every connection as it is.
  ~HttpServer();

  // As bound: "127.0.0.1:8808", "[::1]:8808", "unix:/run/toolpost.sock".
  std::string address() const;
  std::uint16_t port() const;
  std::size_t connections() const;
  std::uint64_t body_bytes() const;  // of all requests in flight

  // Answers under way may finish within `grace`, as streams too; other streams end after what is
  // queued. `done` runs once, when the last of these connections is closed. Until close() other
  // connections are served one more request each, new ones too, so that the handler can say that
  // the host is stopping; nothing waits for them.
  void stop(std::chrono::milliseconds grace, std::function<void()> done);
  // After stop(): `grace` from now, in place of that one.
  void limit_grace(std::chrono::milliseconds grace);
  // Listens no more, and closes every connection as it is.
  void close();

 private:
  class Core;
  explicit HttpServer(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace host::transport
