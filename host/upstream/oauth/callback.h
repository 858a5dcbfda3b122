// The address on this machine to which an authorization server sends the browser back after a login
// (RFC 8252, 7.3): http://127.0.0.1:PORT/callback. It is served while a login is in progress.
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

// I/O thread only.
class Callback final : public transport::HttpHandler {
 public:
  struct Page {
    int status = 200;
    std::string text;  // for the person at the browser
  };
  // `query`: of a request to /callback, untrusted.
  using Take = std::function<boost::asio::awaitable<Page>(Form query)>;

  // `port` 0: any free port.
  static Result<std::unique_ptr<Callback>> listen(const boost::asio::any_io_executor& io,
                                                  std::uint16_t port, Take take);

  std::string url() const;

  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange) override;

  // Takes no more requests. `done` runs once the current ones are answered; then it may be
  // destroyed, but not by `done` itself.
  void stop(std::function<void()> done);

 private:
  explicit Callback(Take take) : take_(std::move(take)) {}

  const Take take_;
  std::unique_ptr<transport::HttpServer> server_;
};

}  // namespace host::upstream::oauth
