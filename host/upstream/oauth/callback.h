// The callback is the address on this machine to which an authorization server sends the browser
// back after a login (RFC 8252, 7.3): http://127.0.0.1:PORT/callback. The host serves the
// callback's address while a login is in progress.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "transport/http/http_server.h"
#include "upstream/oauth/form.h"

namespace host::upstream::oauth {

// The functions of Callback are called on the I/O thread.
class Callback final : public transport::HttpHandler {
 public:
  struct Page {
    int status = 200;
    std::string text;  // text for the user, shown in the browser
  };
  // `query` is the untrusted query of a request to /callback.
  using Take = std::function<boost::asio::awaitable<Page>(Form query)>;

  // If `port` is 0, the host uses any free port.
  static Result<std::unique_ptr<Callback>> listen(const boost::asio::any_io_executor& io,
                                                  std::uint16_t port, Take take);

  std::string url() const;

  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange) override;

  // Stops accepting HTTP requests. A Callback calls `done` when the current HTTP requests are
  // answered. The owner can destroy the Callback object after `done` has returned, but not earlier.
  void stop(std::function<void()> done);

 private:
  explicit Callback(Take take) : take_(std::move(take)) {}

  const Take take_;
  std::unique_ptr<transport::HttpServer> server_;
};

}  // namespace host::upstream::oauth
