// What one owner of connections may have, and what it leaves to others.
#include <gmock/gmock.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <vector>

#include "http_fixture.h"

namespace host::transport {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using ::testing::Contains;

class Quotas : public HttpTest {
 protected:
  Quotas() {
    options_.on_refusal = [this](std::string_view limit) { refusals_.emplace_back(limit); };
    handler_.answer = [this](HttpExchange& exchange) -> asio::awaitable<void> {
      boost::system::error_code ignored;
      if (exchange.request().path() == "/wait") {
        ++waiting_;
        co_await gate_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      }
      exchange.respond(200, "done");
    };
  }

  // A request that is in work until open_gate().
  test::RawClient busy(std::string_view fields = "") {
    const int before = waiting_;
    auto client = connect();
    client.send(get("/wait", fields));
    while (waiting_ == before) std::this_thread::yield();
    return client;
  }
  void open_gate() {
    on_io([this] { gate_.cancel(); });
  }

  int status_of(std::string_view path, std::string_view fields = "") {
    auto client = connect();
    client.send(get(path, fields));
    return client.read_answer().status;
  }
  // A request whose body has so many bytes, of which none comes.
  test::RawClient announce(std::size_t bytes, std::string_view fields = "") {
    auto client = connect();
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) +
                "Content-Length: " + std::to_string(bytes) + "\r\n\r\n");
    return client;
  }
  void wait_for_bytes(std::uint64_t bytes) {
    while (on_io([this] { return server_->body_bytes(); }) != bytes) std::this_thread::yield();
  }
  std::vector<std::string> refusals() {
    return on_io([this] { return refusals_; });
  }

  static constexpr std::string_view kAda = "X-Who: ada\r\n";
  static constexpr std::string_view kBob = "X-Who: bob\r\n";

  HttpOptions options_;
  asio::steady_timer gate_{io_, 1h};
  std::atomic<int> waiting_ = 0;
  std::vector<std::string> refusals_;
};

TEST_F(Quotas, AFloodWithoutKeysTakesNoConnectionFromAKnownPrincipal) {
  options_.connections_per_address = 2;
  serve(options_);
  auto ada = connect();
  ada.send(get("/", kAda));
  EXPECT_EQ(ada.read_answer().status, 200);  // idle from here on
  std::vector<test::RawClient> flood;
  for (int i = 0; i < 20; ++i) {
    flood.push_back(connect());
    flood.back().send(get("/"));
    EXPECT_EQ(flood.back().read_answer().status, 200);
  }
  ada.send(get("/", kAda));
  EXPECT_EQ(ada.read_answer().status, 200);
  EXPECT_EQ(on_io([this] { return server_->connections(); }), 3u);
}

TEST_F(Quotas, WhereAllOfAnAddressAreBusyKnownPrincipalsAndWhatIsEssentialAreServed) {
  options_.connections_per_address = 2;
  options_.connections_kept_back = 2;
  serve(options_);
  auto first = busy();
  auto second = busy();
  auto refused = connect();
  refused.send(get("/"));
  const auto answer = refused.read_answer();
  EXPECT_EQ(answer.status, 429);
  EXPECT_TRUE(answer.has("Retry-After: 1"));
  EXPECT_NE(answer.body.find("limits.connections_per_address"), std::string::npos);
  EXPECT_TRUE(refused.ended());
  EXPECT_THAT(refusals(), Contains("limits.connections_per_address"));

  auto health = connect();
  health.send(get("/healthz"));
  EXPECT_EQ(health.read_answer().status, 200);
  EXPECT_TRUE(health.ended());  // it makes room for the next

  auto ada = connect();
  for (int i = 0; i < 2; ++i) {
    ada.send(get("/", kAda));
    EXPECT_EQ(ada.read_answer().status, 200);  // a connection like any other
  }
  open_gate();
  EXPECT_EQ(first.read_answer().body, "done");
  EXPECT_EQ(second.read_answer().body, "done");
  EXPECT_EQ(status_of("/"), 200);
}

TEST_F(Quotas, SilentConnectionsDoNotHoldThoseThatAreKeptBack) {
  options_.connections_per_address = 1;
  options_.connections_kept_back = 2;
  serve(options_);
  auto held = busy();
  std::vector<test::RawClient> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(connect());
  EXPECT_TRUE(silent.front().ended());
  EXPECT_EQ(status_of("/healthz"), 200);
  // One that announces a body for what is essential, and sends none.
  for (int i = 0; i < 10; ++i) {
    silent.push_back(connect());
    silent.back().send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n");
  }
  EXPECT_EQ(status_of("/healthz"), 200);
  open_gate();
  EXPECT_EQ(held.read_answer().status, 200);
}

TEST_F(Quotas, APrincipalsOldestIdleConnectionMakesRoomAndABusyOneNever) {
  options_.connections_per_principal = 2;
  serve(options_);
  auto working = busy(kAda);
  auto idle = connect();
  idle.send(get("/", kAda));
  EXPECT_EQ(idle.read_answer().status, 200);
  auto also = busy(kAda);
  EXPECT_TRUE(idle.ended());
  EXPECT_EQ(status_of("/", kAda), 429);
  EXPECT_EQ(status_of("/", kBob), 200);
  EXPECT_THAT(refusals(), Contains("limits.connections_per_principal"));
  open_gate();
  EXPECT_EQ(working.read_answer().body, "done");
  EXPECT_EQ(also.read_answer().body, "done");
}

TEST_F(Quotas, AConnectionWhoseBodyIsReadIsBusy) {
  options_.connections_per_address = 1;
  options_.connections_kept_back = 0;
  serve(options_);
  auto sending = announce(4);
  wait_for_bytes(4);
  auto other = connect();
  EXPECT_TRUE(other.ended());
  sending.send("body");
  EXPECT_EQ(sending.read_answer().status, 200);
}

TEST_F(Quotas, WhereAllConnectionsAreBusyOthersAreToldSo) {
  options_.connections = 1;
  options_.connections_kept_back = 1;
  serve(options_);
  auto held = busy();
  EXPECT_EQ(status_of("/"), 503);
  EXPECT_EQ(status_of("/", kAda), 200);
  EXPECT_EQ(status_of("/healthz"), 200);
  EXPECT_THAT(refusals(), Contains("limits.connections"));
  open_gate();
  EXPECT_EQ(held.read_answer().status, 200);
}

TEST_F(Quotas, BodiesInFlightAreBoundedByOwner) {
  options_.bodies_bytes_per_principal = 1000;
  serve(options_);
  auto first = announce(800);
  wait_for_bytes(800);
  auto second = announce(300);
  const auto answer = second.read_answer();
  EXPECT_EQ(answer.status, 429);
  EXPECT_TRUE(answer.has("Retry-After: 1"));
  EXPECT_THAT(refusals(), Contains("limits.bodies_bytes_per_principal"));
  auto ada = announce(900, kAda);
  wait_for_bytes(1700);
  EXPECT_EQ(announce(300, kAda).read_answer().status, 429);
  ada.send(std::string(900, 'x'));
  EXPECT_EQ(ada.read_answer().status, 200);
  first.close();
  wait_for_bytes(0);
  auto third = connect();
  third.send(post("/", std::string(1000, 'x')));
  EXPECT_EQ(third.read_answer().status, 200);
  wait_for_bytes(0);
}

TEST_F(Quotas, BodiesInFlightAreBoundedInAll) {
  options_.bodies_bytes = 1000;
  options_.bodies_bytes_per_principal = 700;
  serve(options_);
  auto first = announce(600);
  wait_for_bytes(600);
  const auto answer = announce(500, kAda).read_answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(answer.has("Retry-After: 1"));
  EXPECT_THAT(refusals(), Contains("limits.bodies_bytes"));
  EXPECT_EQ(status_of("/", kAda), 200);  // without a body
}

TEST_F(Quotas, BodiesOfUnknownSendersLeaveAPartToOthers) {
  options_.bodies_bytes = 8000;
  serve(options_);
  auto stranger = announce(6000);
  wait_for_bytes(6000);
  EXPECT_EQ(announce(1).read_answer().status, 503);
  EXPECT_THAT(refusals(), Contains("limits.bodies_bytes"));
  const auto login = [this](std::size_t bytes) {
    auto client = connect();
    client.send(post("/healthz", std::string(bytes, 'x')));
    return client.read_answer().status;
  };
  EXPECT_EQ(login(1000), 200);
  EXPECT_EQ(login(1001), 503);
  auto ada = announce(2000, kAda);
  wait_for_bytes(8000);
  ada.send(std::string(2000, 'x'));
  EXPECT_EQ(ada.read_answer().status, 200);
}

TEST_F(Quotas, WhatIsEssentialTakesNoPartOfItsOwnersBytes) {
  options_.bodies_bytes_per_principal = 1000;
  serve(options_);
  auto stranger = announce(1000);
  wait_for_bytes(1000);
  EXPECT_EQ(announce(1).read_answer().status, 429);
  auto login = connect();
  login.send(post("/healthz", "key"));
  EXPECT_EQ(login.read_answer().status, 200);
}

TEST_F(Quotas, ALengthCountsNoFurtherThanTwiceWhatHasCome) {
  serve(options_);
  auto client = announce(1'000'000);
  wait_for_bytes(16'384);
  client.send(std::string(20'000, 'x'));
  wait_for_bytes(40'000);
  client.send(std::string(980'000, 'x'));
  EXPECT_EQ(client.read_answer().status, 200);
  wait_for_bytes(0);
}

TEST_F(Quotas, ChunksCountAsTheyCome) {
  options_.bodies_bytes_per_principal = 4096;
  serve(options_);
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "400\r\n" + std::string(1024, 'x') + "\r\n";
  for (int i = 0; i < 5 && !client.readable(0); ++i) client.send(chunk);
  EXPECT_EQ(client.read_answer().status, 429);
}

TEST_F(Quotas, AnswersThatAreNotReadCountForTheirOwnersNextBody) {
  options_.bodies_bytes_per_principal = 1u << 20u;
  handler_.answer = [](HttpExchange& exchange) -> asio::awaitable<void> {
    const bool large = exchange.request().path() == "/large";
    exchange.respond(200, std::string(large ? 32u << 20u : 1u, 'x'));
    co_return;
  };
  serve(options_);
  auto lazy = connect();
  lazy.send(get("/large"));
  const auto status_of_post = [&](std::string_view fields) {
    auto client = connect();
    client.send(post("/", "body", fields));
    return client.read_answer().status;
  };
  while (status_of_post("") != 429) std::this_thread::yield();
  EXPECT_EQ(status_of("/"), 429);  // its answer would need room as well
  EXPECT_EQ(status_of("/healthz"), 200);
  EXPECT_EQ(status_of_post(kAda), 200);
  lazy.close();
  while (status_of_post("") != 200) std::this_thread::yield();
  EXPECT_EQ(status_of("/"), 200);
}

class UnreadAnswers : public Quotas {
 protected:
  UnreadAnswers() {
    handler_.answer = [](HttpExchange& exchange) -> asio::awaitable<void> {
      const bool large = exchange.request().path() == "/large";
      exchange.respond(200, std::string(large ? 32u << 20u : 1u, 'x'));
      co_return;
    };
  }

  // A client that reads nothing of a large answer. Returns when this refuses what its owner sends.
  test::RawClient lazy(std::string_view fields, int refused = 429) {
    auto client = connect();
    client.send(get("/large", fields));
    while (status_of("/", fields) != refused) std::this_thread::yield();
    return client;
  }
  int status_of_post(std::string_view fields) {
    auto client = connect();
    client.send(post("/", "body", fields));
    return client.read_answer().status;
  }
};

TEST_F(UnreadAnswers, OfOneOwnerRefuseNoOther) {
  options_.bodies_bytes = 4u << 20u;
  options_.bodies_bytes_per_principal = 1u << 20u;
  serve(options_);
  auto ada = lazy(kAda);
  EXPECT_EQ(status_of("/", kBob), 200);
  EXPECT_EQ(status_of_post(kBob), 200);
  EXPECT_EQ(status_of("/"), 200);
  EXPECT_EQ(status_of_post(""), 200);
}

TEST_F(UnreadAnswers, OfSeveralOwnersCountForAll) {
  options_.bodies_bytes = 2u << 20u;
  options_.bodies_bytes_per_principal = 1u << 20u;
  serve(options_);
  auto ada = lazy(kAda);
  auto bob = lazy(kBob);
  constexpr std::string_view kEve = "X-Who: eve\r\n";
  EXPECT_EQ(status_of("/", kEve), 503);
  EXPECT_EQ(status_of_post(kEve), 503);
  EXPECT_THAT(refusals(), Contains("limits.bodies_bytes"));
  EXPECT_EQ(status_of("/healthz"), 200);
  ada.close();
  while (status_of("/", kEve) != 200) std::this_thread::yield();
  EXPECT_EQ(status_of_post(kEve), 200);
}

TEST_F(UnreadAnswers, OfUnknownSendersLeaveAPartToOthers) {
  options_.bodies_bytes = 1u << 20u;
  serve(options_);
  auto stranger = lazy("", 503);
  EXPECT_EQ(status_of_post(""), 503);
  EXPECT_EQ(status_of("/", kAda), 200);
  EXPECT_EQ(status_of_post(kAda), 200);
  stranger.close();
  while (status_of("/") != 200) std::this_thread::yield();
}

// As many as have come in one turn: the kernel has taken nothing of any yet.
TEST_F(Quotas, AnAnswerCountsFromItsBeginning) {
  options_.bodies_bytes_per_principal = 1u << 20u;
  handler_.answer = [](HttpExchange& exchange) -> asio::awaitable<void> {
    const bool large = exchange.request().path() == "/large";
    exchange.respond(200, std::string(large ? 2u << 20u : 1u, 'x'));
    co_return;
  };
  serve(options_);
  auto first = connect();
  auto second = connect();
  for (auto* const client : {&first, &second}) {
    client->send(get("/"));
    EXPECT_EQ(client->read_answer().status, 200);
  }
  on_io([&] {  // both have come before either is read
    first.send(get("/large"));
    second.send(get("/large"));
  });
  const int one = first.read_answer().status;
  const int other = second.read_answer().status;
  EXPECT_EQ(std::min(one, other), 200);
  EXPECT_EQ(std::max(one, other), 429);
}

TEST_F(Quotas, WhatIsGatheredCountsAlsoAfterAnEvent) {
  options_.bodies_bytes_per_principal = 1000;
  handler_.answer = [this](HttpExchange& exchange) -> asio::awaitable<void> {
    if (exchange.request().path() != "/gather") {
      exchange.respond(200, "done");
      co_return;
    }
    exchange.gathers(1000);
    const auto stream = exchange.stream();
    stream->send("progress", "");
    boost::system::error_code ignored;
    co_await gate_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    stream->close();
  };
  serve(options_);
  auto client = connect();
  client.send(get("/gather", kAda));
  client.read_until("progress");
  EXPECT_EQ(status_of("/", kAda), 429);
  EXPECT_EQ(status_of("/", kBob), 200);
  open_gate();
  while (status_of("/", kAda) != 200) std::this_thread::yield();
}

TEST_F(Quotas, ABodyCountsUntilItsHandlerHasReturnedThoughItsConnectionIsClosed) {
  serve(options_);
  auto client = connect();
  client.send(post("/wait", std::string(1000, 'x'), kAda));
  while (waiting_ == 0) std::this_thread::yield();
  on_io([this] { server_->stop(0ms, [] {}); });
  while (on_io([this] { return server_->connections(); }) > 0) std::this_thread::yield();
  EXPECT_EQ(on_io([this] { return server_->body_bytes(); }), 1000u);
  open_gate();
  wait_for_bytes(0);
}

TEST_F(Quotas, ABodyThatDripsEndsAtTheRequestsDeadline) {
  options_.request_timeout = 150ms;
  serve(options_);
  auto client = announce(1'000'000);
  for (int i = 0; i < 5000 && !client.readable(2); ++i) client.send("x");
  const auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(refusals(), Contains("limits.request_timeout_s"));
  expect_good_request();
}

}  // namespace
}  // namespace host::transport
