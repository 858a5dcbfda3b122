// The host's HTTP server with the bare echo as its handler: what the transport alone costs.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>

#include "echo.h"
#include "transport/http/http_server.h"

namespace {

class EchoHandler : public host::transport::HttpHandler {
 public:
  boost::asio::awaitable<void> handle(host::transport::HttpExchange& exchange) override {
    exchange.respond(200, bench::echo(exchange.request().body()));
    co_return;
  }
};

}  // namespace

int main() {
  boost::asio::io_context io(1);
  EchoHandler handler;
  host::transport::HttpOptions options;
  options.listen = "127.0.0.1:0";
  auto server = host::transport::HttpServer::listen(io, handler, options);
  if (!server) return 1;
  std::printf("%u\n", server.value()->port());
  std::fflush(stdout);
  io.run();
}
