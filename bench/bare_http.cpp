// The yardstick over HTTP: Boost.Beast and RapidJSON with nothing between them. One thread, one
// coroutine a connection; answers tools/call with the text that it was given. Prints its port.
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <exception>

#include "echo.h"

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

static asio::awaitable<void> serve(tcp::socket socket) {
  socket.set_option(tcp::no_delay(true));
  boost::beast::flat_buffer buffer;
  try {
    for (;;) {
      http::request_parser<http::string_body> parser;
      parser.body_limit(4u << 20u);
      co_await http::async_read(socket, buffer, parser, asio::use_awaitable);
      http::response<http::string_body> answer(http::status::ok, 11);
      answer.set(http::field::content_type, "application/json");
      answer.body() = bench::echo(parser.get().body());
      answer.prepare_payload();
      co_await http::async_write(socket, answer, asio::use_awaitable);
    }
  } catch (const std::exception&) {
    // The peer closed.
  }
}

static asio::awaitable<void> accept(tcp::acceptor acceptor) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    asio::co_spawn(acceptor.get_executor(), serve(std::move(socket)), asio::detached);
  }
}

int main() {
  asio::io_context io(1);
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  std::printf("%u\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  asio::co_spawn(io, accept(std::move(acceptor)), asio::detached);
  io.run();
}
