#include "transport/http/http_server.h"

#include <atomic>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "http_fixture.h"

namespace host::transport {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

// Suspends the handler until someone cancels the timer.
asio::awaitable<void> wait_for(asio::steady_timer& timer) {
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

using Http = HttpTest;

TEST_F(Http, AnswersARequestWithItsMethodPathQueryAndBody) {
  serve();
  auto client = connect();
  client.send(
      "POST /a%20b/c?x=1&y=%20 HTTP/1.1\r\nhOsT: 127.0.0.1:99\r\nContent-Length: 3\r\n\r\nabc");
  const auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "POST /a b/c?x=1&y=%20 abc");
  EXPECT_TRUE(answer.has("\r\nContent-Type: text/plain\r\n"));
  EXPECT_TRUE(answer.has("\r\nDate: "));
  EXPECT_FALSE(answer.has("Server:"));
}

TEST_F(Http, ServesManyRequestsOnOneConnectionInTheOrderOfArrival) {
  serve();
  auto client = connect();
  std::string pipelined;
  for (int i = 0; i < 200; ++i)
    pipelined += post("/" + std::to_string(i), std::string(i * 7 % 300, 'x'));
  client.send(pipelined);
  for (int i = 0; i < 200; ++i) {
    const auto answer = client.read_answer();
    ASSERT_EQ(answer.body, "POST /" + std::to_string(i) + " " + std::string(i * 7 % 300, 'x'));
  }
}

// Requests that were sent ahead leave room in each turn for others.
TEST_F(Http, TakesFewRequestsThatWereSentAheadInOneTurn) {
  constexpr int kConnections = 100;
  constexpr int kRequests = 20;
  std::string ahead;
  for (int i = 0; i < kRequests; ++i) ahead += get("/");
  int most = 0;
  int before = kConnections;
  std::function<void()> look = [&] {
    const int now = handler_.requests;
    if (now > kConnections) most = std::max(most, now - std::max(before, kConnections));
    before = now;
    if (now < kConnections * kRequests) asio::post(io_, look);
  };
  serve();
  std::vector<test::RawClient> clients;
  on_io([&] {  // nothing is read until all has been sent
    for (int i = 0; i < kConnections; ++i) clients.push_back(connect()), clients.back().send(ahead);
    asio::post(io_, look);
  });
  for (auto& client : clients) {
    for (int i = 0; i < kRequests; ++i) EXPECT_EQ(client.read_answer().status, 200);
  }
  EXPECT_LE(on_io([&] { return most; }), 4);
}

TEST_F(Http, ReadsARequestThatArrivesByteByByte) {
  serve();
  auto client = connect();
  for (const char c : post("/slow", "drip")) client.send(std::string_view(&c, 1));
  EXPECT_EQ(client.read_answer().body, "POST /slow drip");
}

TEST_F(Http, ReadsChunkedBodiesAndWhatFollowsThem) {
  serve();
  auto client = connect();
  client.send(
      "POST /c HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n4;x=\"y\"\r\nwiki\r\n5\r\n");
  client.send("pedia\r\n0\r\nTrailer: ignored\r\n\r\n" + get("/next"));
  EXPECT_EQ(client.read_answer().body, "POST /c wikipedia");
  EXPECT_EQ(client.read_answer().body, "GET /next ");
}

TEST_F(Http, ReadsChunkedBodiesWhereverTheyAreCut) {
  serve();
  const std::string head =
      "POST /c HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto send_alone = [&](test::RawClient& client, std::string_view bytes) {
    client.send(bytes);
    for (int i = 0; i < 3; ++i) on_io([] {});  // it has read that
  };
  for (const std::string chunks :
       {"4;x=\"y\"\r\nwiki\r\n5\r\npedia\r\n0\r\nTrailer: ignored\r\n\r\n",
        "9\r\nwikipedia\r\n00\r\n\r\n"}) {
    for (std::size_t cut = 0; cut <= chunks.size(); ++cut) {
      auto client = connect();
      send_alone(client, head + chunks.substr(0, cut));
      client.send(chunks.substr(cut) + get("/next"));
      ASSERT_EQ(client.read_answer().body, "POST /c wikipedia") << cut;
      ASSERT_EQ(client.read_answer().body, "GET /next ") << cut;
    }
    auto client = connect();
    client.send(head);
    for (const char c : chunks) send_alone(client, std::string_view(&c, 1));
    EXPECT_EQ(client.read_answer().body, "POST /c wikipedia");
  }
}

TEST_F(Http, CarriesBodiesOfAMegabyteBothWays) {
  serve();
  auto client = connect();
  const std::string body(3u << 20u, 'm');
  std::thread sender([&] { client.send(post("/big", body)); });
  const auto answer = client.read_answer();
  sender.join();
  EXPECT_EQ(answer.body, "POST /big " + body);
}

TEST_F(Http, ClosesWhenAskedTo) {
  serve();
  auto client = connect();
  client.send(get("/bye", "Connection: close\r\n"));
  const auto answer = client.read_answer();
  EXPECT_TRUE(answer.has("Connection: close"));
  EXPECT_TRUE(client.ended());
}

TEST_F(Http, ServesHttp10WithAndWithoutKeepAlive) {
  serve();
  auto client = connect();
  client.send("GET /1 HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(client.read_answer().has("Connection: keep-alive"));
  client.send("GET /2 HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_answer().body, "GET /2 ");
  EXPECT_TRUE(client.ended());
}

TEST_F(Http, AnswersHeadWithTheLengthButNoBody) {
  serve();
  auto client = connect();
  client.send("HEAD /h HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto answer = client.read_head();
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.has("Content-Length: 8\r\n"));
  client.send(get("/after"));
  EXPECT_EQ(client.read_answer().body, "GET /after ");
}

TEST_F(Http, InvitesABodyThatWaitsForIt) {
  serve();
  auto client = connect();
  client.send(
      "POST /e HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_head().status, 100);
  client.send("ok");
  EXPECT_EQ(client.read_answer().body, "POST /e ok");
}

TEST_F(Http, DoesNotInviteABodyThatIsTooLarge) {
  HttpOptions options;
  options.body_bytes = 100;
  serve(options);
  auto client = connect();
  client.send(
      "POST /e HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 413);
  EXPECT_EQ(handler_.requests, 0);
}

TEST_F(Http, RefusesATooLargeChunkedBody) {
  HttpOptions options;
  options.body_bytes = 100;
  serve(options);
  auto client = connect();
  client.send("POST /e HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n" +
              std::string(64, 'a') + "\r\n40\r\n" + std::string(64, 'b') + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 413);
  EXPECT_TRUE(client.ended());
}

TEST_F(Http, TurnsAnExceptionOfTheHandlerInto500WithAnId) {
  handler_.answer = [](HttpExchange&) -> asio::awaitable<void> {
    throw std::runtime_error("secret detail");
    co_return;
  };
  serve();
  auto client = connect();
  for (int i = 0; i < 2; ++i) {
    client.send(get("/"));
    const auto answer = client.read_answer();
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.body.find("secret"), std::string::npos);
    EXPECT_NE(answer.body.find("internal error "), std::string::npos);
  }
}

TEST_F(Http, TurnsAHandlerWithoutAnAnswerInto500) {
  handler_.answer = [](HttpExchange&) -> asio::awaitable<void> { co_return; };
  serve();
  auto client = connect();
  client.send(get("/"));
  EXPECT_EQ(client.read_answer().status, 500);
}

TEST_F(Http, DropsAFieldThatWouldForgeAnother) {
  handler_.answer = [](HttpExchange& exchange) -> asio::awaitable<void> {
    Headers headers;
    headers.emplace_back("X-Good", "1");
    headers.emplace_back("X-Bad", "1\r\nSet-Cookie: a=b");
    exchange.respond(202, "", "text/plain", std::move(headers));
    co_return;
  };
  serve();
  auto client = connect();
  client.send(get("/"));
  const auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 202);
  EXPECT_TRUE(answer.has("X-Good: 1"));
  EXPECT_FALSE(answer.has("Set-Cookie"));
  EXPECT_TRUE(answer.has("Content-Length: 0"));
}

TEST_F(Http, RunsTheHookBeforeEachWrite) {
  std::atomic<int> hooks = 0;
  HttpOptions options;
  options.before_write = [&] { ++hooks; };
  serve(options);
  auto client = connect();
  for (int i = 1; i <= 3; ++i) {
    client.send(get("/"));
    client.read_answer();
    EXPECT_EQ(hooks, i);
  }
}

TEST_F(Http, RunsTheHookOnceForTheAnswersOfOneTurn) {
  std::atomic<int> hooks = 0;
  HttpOptions options;
  options.before_write = [&] { ++hooks; };
  asio::steady_timer both_came(io_, std::chrono::hours(1));
  int came = 0;
  handler_.answer = [&](HttpExchange& exchange) -> asio::awaitable<void> {
    if (++came == 2) both_came.cancel();
    if (came < 2) co_await wait_for(both_came);
    exchange.respond(200, "ok");
  };
  serve(options);
  auto first = connect();
  auto second = connect();
  first.send(get("/"));
  second.send(get("/"));
  first.read_answer();
  second.read_answer();
  EXPECT_EQ(hooks, 1);
}

TEST_F(Http, NeverSendsAnAnswerToAnotherConnection) {
  // Half of the requests are answered in a later turn, in another order than they came.
  handler_.answer = [this](HttpExchange& exchange) -> asio::awaitable<void> {
    const std::string body(exchange.request().body());
    if (body.size() % 2 == 0) {
      asio::steady_timer timer(io_, std::chrono::microseconds(body.size() * 37 % 500));
      co_await wait_for(timer);
    }
    exchange.respond(200, "<" + std::string(exchange.request().body()) + ">");
  };
  serve();
  constexpr int kConnections = 32;
  constexpr int kRequests = 60;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> clients;
  for (int c = 0; c < kConnections; ++c) {
    clients.emplace_back([&, c] {
      auto client = connect();
      for (int r = 0; r < kRequests; ++r) {
        const std::string body =
            std::to_string(c) + "-" + std::to_string(r) + std::string((c * 31 + r) % 64, '.');
        client.send(post("/", body));
        if (client.read_answer().body != "<" + body + ">") ++wrong;
      }
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(handler_.requests, kConnections * kRequests);
}

TEST_F(Http, KeepsWhatThePeerSendsWhileItsRequestIsHandled) {
  asio::steady_timer gate(io_, 1h);
  handler_.answer = [&](HttpExchange& exchange) -> asio::awaitable<void> {
    if (exchange.request().path() == "/wait") {
      exchange.on_disconnect([] {});
      co_await wait_for(gate);
    }
    exchange.respond(200, std::string(exchange.request().path()));
  };
  serve();
  auto client = connect();
  client.send(get("/wait"));
  std::this_thread::sleep_for(60ms);  // until the peer is watched
  client.send(get("/second").substr(0, 10));
  std::this_thread::sleep_for(30ms);
  client.send(get("/second").substr(10) + get("/third"));
  std::this_thread::sleep_for(30ms);
  on_io([&] { gate.cancel(); });
  EXPECT_EQ(client.read_answer().body, "/wait");
  EXPECT_EQ(client.read_answer().body, "/second");
  EXPECT_EQ(client.read_answer().body, "/third");
}

// Nobody reads the answers to what such a peer has sent ahead.
TEST_F(Http, ServesNothingMoreOfAPeerThatIsGone) {
  asio::steady_timer gate(io_, 1h);
  handler_.answer = [&](HttpExchange& exchange) -> asio::awaitable<void> {
    exchange.on_disconnect([&] { gate.cancel(); });
    co_await wait_for(gate);
    exchange.respond(200, std::string(exchange.request().path()));
  };
  serve();
  auto client = connect();
  client.send(get("/wait"));
  while (handler_.requests == 0) std::this_thread::yield();
  client.send(get("/second"));
  client.end();
  EXPECT_EQ(client.read_answer().body, "/wait");
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(handler_.requests, 1);
}

TEST_F(Http, ErrorsHaveTheFormOfTheirPathHoweverItIsWritten) {
  serve();
  for (const std::string path : {"/rest/a", "/%72est/a", "http://localhost/rest/a"}) {
    for (const std::string line :
         {"Host: evil", "Host: localhost\r\nContent-Length: x", "Host: localhost\r\nExpect: x"}) {
      auto client = connect();
      client.send("POST " + path + " HTTP/1.1\r\n" + line + "\r\n\r\n");
      EXPECT_FALSE(client.read_answer().body.starts_with(R"({"jsonrpc")")) << path << "\n" << line;
    }
  }
  auto client = connect();
  client.send("POST http://localhost/rest/a HTTP/1.1\r\nX: " + std::string(40'000, 'x'));
  EXPECT_FALSE(client.read_answer().body.starts_with(R"({"jsonrpc")"));
}

TEST_F(Http, JoinsTheCopiesOfFieldsThatAreListsAndTakesNoneOfTwoTraceparents) {
  handler_.answer = [](HttpExchange& exchange) -> asio::awaitable<void> {
    std::string text;
    for (const char* name : {"traceparent", "TraceState", "baggage", "X-Other"}) {
      text += std::string(exchange.request().header(name)) + "|";
    }
    exchange.respond(200, text);
    co_return;
  };
  serve();
  auto client = connect();
  const auto answer_to = [&](const std::string& fields) {
    client.send(get("/", fields));
    return client.read_answer().body;
  };
  EXPECT_EQ(answer_to("tracestate: a=1\r\nTracestate: b=2\r\nbaggage: c=3\r\nBaggage: c=3\r\n"
                      "baggage: d=4\r\nX-Other: 1\r\nX-Other: 2\r\n"),
            "|a=1,b=2|c=3,c=3,d=4|1|");
  EXPECT_EQ(answer_to("traceparent: a\r\ntraceparent: b\r\n"), "||||");
  EXPECT_EQ(answer_to("traceparent: a\r\ntraceparent: a\r\nbaggage: e=5\r\n"), "a||e=5||");
}

TEST_F(Http, TellsAWaitingHandlerThatItsPeerIsGone) {
  asio::steady_timer gate(io_, 1h);
  std::promise<void> gone;
  std::atomic<int> calls = 0;
  handler_.answer = [&](HttpExchange& exchange) -> asio::awaitable<void> {
    exchange.on_disconnect([&] {
      ++calls;
      gate.cancel();
    });
    co_await wait_for(gate);
    exchange.respond(200, "nobody reads this");
    gone.set_value();
  };
  serve();
  auto client = connect();
  client.send(get("/"));
  while (handler_.requests == 0) std::this_thread::yield();
  client.close();
  EXPECT_EQ(gone.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_EQ(calls, 1);
  handler_.answer = nullptr;
  expect_good_request();
}

TEST_F(Http, StopFinishesTheAnswerUnderWayAndThenTells) {
  asio::steady_timer gate(io_, 1h);
  handler_.answer = [&](HttpExchange& exchange) -> asio::awaitable<void> {
    co_await wait_for(gate);
    exchange.respond(200, "late but whole");
  };
  serve();
  auto client = connect();
  client.send(get("/"));
  while (handler_.requests == 0) std::this_thread::yield();
  std::promise<void> stopped;
  on_io([&] { server_->stop(10s, [&] { stopped.set_value(); }); });
  on_io([&] { gate.cancel(); });
  EXPECT_EQ(client.read_answer().body, "late but whole");
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(stopped.get_future().wait_for(10s), std::future_status::ready);
}

TEST_F(Http, UntilItIsClosedAServerThatStopsAnswersOneMoreRequestOfEachConnection) {
  serve();
  auto idle = connect();
  idle.send(get("/"));
  idle.read_answer();
  auto silent = connect();
  std::promise<void> stopped;
  on_io([&] { server_->stop(1h, [&] { stopped.set_value(); }); });
  EXPECT_EQ(stopped.get_future().wait_for(10s), std::future_status::ready) << "idle ones count";
  auto fresh = connect();
  for (auto* client : {&idle, &fresh}) {
    client->send(get("/"));
    EXPECT_EQ(client->read_answer().status, 200);
    EXPECT_TRUE(client->ended());
  }
  on_io([&] { server_->close(); });
  EXPECT_TRUE(silent.ended());
}

TEST_F(Http, StopClosesWhatDoesNotEndWithinItsGrace) {
  asio::steady_timer gate(io_, 1h);
  handler_.answer = [&](HttpExchange& exchange) -> asio::awaitable<void> {
    co_await wait_for(gate);
    exchange.respond(200, "too late");
  };
  serve();
  auto client = connect();
  client.send(get("/"));
  while (handler_.requests == 0) std::this_thread::yield();
  std::promise<void> stopped;
  on_io([&] { server_->stop(50ms, [&] { stopped.set_value(); }); });
  EXPECT_EQ(stopped.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_TRUE(client.ended());
  on_io([&] { gate.cancel(); });
}

TEST(HttpListen, NamesTheAddressItCannotUse) {
  asio::io_context io;
  TestHandler handler;
  for (const std::string listen :
       {"127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "192.0.2.1:1", "[::1:5"}) {
    HttpOptions options;
    options.listen = listen;
    const auto server = HttpServer::listen(io, handler, options);
    ASSERT_FALSE(server) << listen;
    EXPECT_NE(server.error().message.find(listen), std::string::npos) << server.error().message;
  }
}

}  // namespace
}  // namespace host::transport
