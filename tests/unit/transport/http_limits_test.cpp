// What the HTTP server refuses, how long it waits and whom it lets in.
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <thread>
#include <vector>

#include "http_fixture.h"

namespace host::transport {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

using HttpLimits = HttpTest;

struct BadRequest {
  const char* what;
  std::string bytes;
  int status;
};

std::vector<BadRequest> bad_requests() {
  const std::string start = "POST / HTTP/1.1\r\nHost: localhost\r\n";
  std::string many = start;
  for (int i = 0; i < 100; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  return {
      {"both lengths", start + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", 400},
      {"both lengths, other order",
       start + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc", 400},
      {"two lengths", start + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400},
      {"the same length twice", start + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400},
      {"a list of lengths", start + "Content-Length: 3, 3\r\n\r\nabc", 400},
      {"a signed length", start + "Content-Length: +3\r\n\r\nabc", 400},
      {"a negative length", start + "Content-Length: -1\r\n\r\n", 400},
      {"a hexadecimal length", start + "Content-Length: 0x3\r\n\r\nabc", 400},
      {"an empty length", start + "Content-Length:\r\n\r\n", 400},
      {"a length beyond 64 bit", start + "Content-Length: 99999999999999999999999\r\n\r\n", 400},
      {"bare line feeds", "POST / HTTP/1.1\nHost: localhost\n\n", 400},
      {"one bare line feed", start + "A: b\nC: d\r\n\r\n", 400},
      {"a bare carriage return", start + "A: b\rC: d\r\n\r\n", 400},
      {"a space before the colon", start + "Content-Length : 3\r\n\r\nabc", 400},
      {"a folded field", start + "A: b\r\n c\r\n\r\n", 400},
      {"a folded first field", "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n", 400},
      {"two hosts", start + "Host: localhost\r\n\r\n", 400},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"no host in 1.0", "GET / HTTP/1.0\r\n\r\n", 400},
      {"a NUL in a value", start + std::string("A: b\0c\r\n\r\n", 10), 400},
      {"a NUL in the target", std::string("GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 36), 400},
      {"a field without a name", start + ": b\r\n\r\n", 400},
      {"a field without a colon", start + "abc\r\n\r\n", 400},
      {"a target that is no path", "GET abc HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {"two spaces", "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {"a fragment", "GET /a#b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {"a broken percent", "GET /%4 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {"an encoded NUL", "GET /a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"TLS", std::string("\x16\x03\x01\x02\n\x01\x01\xfc\x03\x03\r\n\r\n", 14), 400},
      {"another transfer encoding", start + "Transfer-Encoding: gzip\r\n\r\n", 400},
      {"chunked not last", start + "Transfer-Encoding: chunked, gzip\r\n\r\n", 400},
      {"chunked twice", start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"chunked in 1.0",
       "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"a chunk size that is none", start + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
      {"a negative chunk size", start + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400},
      {"a chunk size beyond 64 bit",
       start + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400},
      {"a chunk longer than its size",
       start + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", 400},
      {"a line feed in an extension",
       start + "Transfer-Encoding: chunked\r\n\r\n1;a=\"\n\"\r\nb\r\n0\r\n\r\n", 400},
      {"a quoted extension without an end",
       start + "Transfer-Encoding: chunked\r\n\r\n1;a=\"b\r\nc", 400},
      {"an endless extension",
       start + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(20'000, 'a'), 400},
      {"another expectation", start + "Expect: miracles\r\n\r\n", 417},
      {"a huge body", start + "Content-Length: 4194305\r\n\r\n", 413},
      {"an endless request line", "GET /" + std::string(9000, 'a'), 414},
      {"a long request line",
       "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 414},
      {"an endless field", start + "A: " + std::string(34'000, 'a'), 431},
      {"a long field", start + "A: " + std::string(34'000, 'a') + "\r\n\r\n", 431},
      {"101 fields", many + "\r\n", 431},
  };
}

TEST_F(HttpLimits, RefusesEachMalformedRequestAndServesAGoodOneAfterIt) {
  serve();
  for (const BadRequest& bad : bad_requests()) {
    SCOPED_TRACE(bad.what);
    handler_.requests = 0;
    auto client = connect();
    client.send(bad.bytes);
    const auto answer = client.read_answer();
    EXPECT_EQ(answer.status, bad.status);
    EXPECT_NE(answer.body.find(R"("jsonrpc":"2.0")"), std::string::npos);
    EXPECT_TRUE(answer.has("Connection: close"));
    client.end();
    EXPECT_TRUE(client.ended());
    EXPECT_EQ(handler_.requests, 0);
    expect_good_request();
  }
}

TEST_F(HttpLimits, ChecksHostBeforeTheBody) {
  HttpOptions options;
  options.allowed_hosts = {"tools.example", "exact.example:81"};
  serve(options);
  const std::vector<std::pair<std::string, int>> cases = {{"localhost", 200},
                                                          {"LocalHost:1", 200},
                                                          {"127.0.0.1:8808", 200},
                                                          {"[::1]", 200},
                                                          {"[::1]:5", 200},
                                                          {"tools.example", 200},
                                                          {"tools.example:7", 200},
                                                          {"exact.example:81", 200},
                                                          {"exact.example:82", 403},
                                                          {"evil.example", 403},
                                                          {"localhost.evil.example", 403},
                                                          {"", 403},
                                                          {"127.0.0.1.evil.example", 403},
                                                          {"localhost:80:80", 403},
                                                          {"[::1", 403},
                                                          {"[::1]x", 403},
                                                          {"localhost:x", 403},
                                                          {"127.0.0.2", 403},
                                                          {"tools.example@evil", 403}};
  for (const auto& [host, status] : cases) {
    SCOPED_TRACE(host);
    auto client = connect();
    // No body follows: the answer may not wait for it.
    const bool refused = status == 403;
    client.send("POST / HTTP/1.1\r\nHost: " + host +
                "\r\nContent-Length: " + (refused ? "9" : "0") + "\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, status);
  }
  auto client = connect();
  client.send("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 403);
  auto absolute = connect();
  absolute.send("GET http://localhost:3/p HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(absolute.read_answer().body, "GET /p ");
}

TEST_F(HttpLimits, ChecksOriginOnEveryRoute) {
  HttpOptions options;
  options.allowed_origins = {"https://app.example"};
  serve(options);
  const std::vector<std::pair<std::string, int>> cases = {{"http://localhost", 200},
                                                          {"http://127.0.0.1:3000", 200},
                                                          {"https://[::1]:1", 200},
                                                          {"https://app.example", 200},
                                                          {"https://app.example:1", 403},
                                                          {"http://app.example", 403},
                                                          {"null", 403},
                                                          {"http://evil.example", 403},
                                                          {"http://localhost.evil.example", 403},
                                                          {"http://localhost@evil.example", 403},
                                                          {"file://localhost", 403}};
  for (const auto& [origin, status] : cases) {
    SCOPED_TRACE(origin);
    for (const std::string path : {"/mcp", "/", "/v1/tools"}) {
      auto client = connect();
      client.send(get(path, "Origin: " + origin + "\r\n"));
      EXPECT_EQ(client.read_answer().status, status);
    }
  }
}

TEST_F(HttpLimits, TimesOutAHeadABodyAndAnIdleConnection) {
  HttpOptions options;
  options.header_timeout = options.body_timeout = options.keep_alive = 80ms;
  serve(options);
  auto silent = connect();
  EXPECT_TRUE(silent.ended());
  auto head = connect();
  head.send("POST / HT");
  EXPECT_EQ(head.read_answer().status, 408);
  auto body = connect();
  body.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_EQ(body.read_answer().status, 408);
  auto idle = connect();
  idle.send(get("/"));
  EXPECT_EQ(idle.read_answer().status, 200);
  EXPECT_TRUE(idle.ended());
  EXPECT_EQ(handler_.requests, 1);
}

TEST_F(HttpLimits, ClosesAPeerThatDoesNotReadItsAnswer) {
  HttpOptions options;
  options.write_timeout = 80ms;
  handler_.answer = [](HttpExchange& exchange) -> asio::awaitable<void> {
    exchange.respond(200, std::string(32u << 20u, 'x'));
    co_return;
  };
  serve(options);
  auto client = connect();
  client.send(get("/"));
  while (handler_.requests == 0) std::this_thread::yield();
  while (on_io([&] { return server_->connections(); }) > 0) std::this_thread::sleep_for(5ms);
}

TEST_F(HttpLimits, EvictsTheOldestIdleConnectionOfAnAddress) {
  HttpOptions options;
  options.connections_per_address = 3;
  serve(options);
  std::vector<test::RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(connect());
    clients.back().send(get("/"));
    EXPECT_EQ(clients.back().read_answer().status, 200);
  }
  clients[0].send(get("/"));  // the second is the oldest now
  EXPECT_EQ(clients[0].read_answer().status, 200);
  expect_good_request();
  EXPECT_TRUE(clients[1].ended());
  clients[0].send(get("/"));
  EXPECT_EQ(clients[0].read_answer().status, 200);
}

TEST_F(HttpLimits, EvictsAtTheLimitOfAllButNobodyAtWork) {
  asio::steady_timer gate(io_, 1h);
  handler_.answer = [&](HttpExchange& exchange) -> asio::awaitable<void> {
    boost::system::error_code ignored;
    if (exchange.request().path() == "/wait") {
      co_await gate.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    exchange.respond(200, "done");
  };
  HttpOptions options;
  options.connections = 2;
  serve(options);
  auto busy = connect();
  busy.send(get("/wait"));
  while (handler_.requests == 0) std::this_thread::yield();
  auto idle = connect();
  idle.send(get("/"));
  EXPECT_EQ(idle.read_answer().status, 200);
  expect_good_request();
  EXPECT_TRUE(idle.ended());
  on_io([&] { gate.cancel(); });
  EXPECT_EQ(busy.read_answer().body, "done");
}

}  // namespace
}  // namespace host::transport
