// Streams against servers of this test, on the same loop.
#include "outbound/stream.h"

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "outbound/gate.h"
#include "support/http_server.h"

namespace host::outbound {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using test::HttpServer;

class Streams : public ::testing::Test {
 protected:
  struct Seen {
    std::optional<StreamHead> head;
    std::string body;
    std::optional<StreamEnd> end;
    std::unique_ptr<Stream> stream;
  };

  Settings settings() {
    Settings settings;
    settings.loopback = {server.origin(), other.origin()};
    return settings;
  }
  Gate& gate() {
    if (!gate_) gate_ = std::make_unique<Gate>(io.get_executor(), settings());
    return *gate_;
  }
  Request request(std::string method = "GET", std::string body = {}) {
    Request made;
    made.method = std::move(method);
    made.url = server.origin() + "/mcp";
    made.body = std::move(body);
    made.allowed = AllowList({server.origin()});
    return made;
  }
  std::shared_ptr<Seen> open(Request asked, StreamLimits limits = {}) {
    auto seen = std::make_shared<Seen>();
    StreamHandlers handlers;
    handlers.head = [s = seen.get()](const StreamHead& head) { s->head = head; };
    handlers.body = [s = seen.get()](std::string_view piece) { s->body += piece; };
    handlers.end = [s = seen.get()](const StreamEnd& end) { s->end = end; };
    seen->stream = gate().open(std::move(asked), limits, std::move(handlers));
    return seen;
  }
  // Runs the loop until it is so. The time only bounds a test that would never end.
  void until(const std::function<bool()>& is_so) {
    const auto most = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!is_so() && std::chrono::steady_clock::now() < most) {
      io.restart();
      io.run_one_for(std::chrono::seconds(1));
    }
    ASSERT_TRUE(is_so());
  }
  void until_asked(std::size_t peers, std::string_view end = "\r\n\r\n") {
    until(
        [&] { return server.peers.size() >= peers && server.peers[peers - 1]->in.ends_with(end); });
  }

  asio::io_context io;
  HttpServer server{io};
  HttpServer other{io};
  std::unique_ptr<Gate> gate_;
};

constexpr const char* kEvents =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST_F(Streams, PiecesComeAsTheyAreSent) {
  const auto seen = open(request());
  until_asked(1);
  EXPECT_NE(server.peers[0]->in.find("Accept-Encoding: identity\r\n"), std::string::npos);
  server.write(0, kEvents);
  until([&] { return seen->head.has_value(); });
  EXPECT_EQ(seen->head->status, 200);
  EXPECT_EQ(seen->head->header("content-type"), "text/event-stream");
  EXPECT_EQ(seen->body, "");
  server.write(0, "3\r\none\r\n");
  until([&] { return seen->body == "one"; });
  EXPECT_FALSE(seen->end);
  server.write(0, "3\r\ntwo\r\n0\r\n\r\n");
  until([&] { return seen->end.has_value(); });
  EXPECT_EQ(seen->body, "onetwo");
  EXPECT_FALSE(seen->end->error);
}

TEST_F(Streams, AConnectionIsKeptForTheNextRequest) {
  for (int i = 0; i < 3; ++i) {
    const auto seen = open(request("POST", "call"));
    until_asked(1, "call");
    server.peers[0]->in.clear();
    server.write(0, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    until([&] { return seen->end.has_value(); });
    EXPECT_EQ(seen->body, "ok");
    EXPECT_TRUE(seen->end->sent);
  }
  EXPECT_EQ(server.peers.size(), 1u);
}

TEST_F(Streams, ARequestWithABodyIsNotSentAgainWhenAKeptConnectionCloses) {
  auto seen = open(request("POST", "first"));
  until_asked(1, "first");
  server.write(0, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  until([&] { return seen->end.has_value(); });
  seen = open(request("POST", "second"));
  until_asked(1, "second");
  server.peers[0]->socket.close();
  until([&] { return seen->end.has_value(); });
  ASSERT_TRUE(seen->end->error);
  EXPECT_EQ(seen->end->error->kind, ErrorKind::Io);
  EXPECT_TRUE(seen->end->sent);
  // libcurl begins anew, and stops where the body would follow.
  if (server.peers.size() == 1) return;
  until([&] { return server.peers[1]->is_closed; });
  EXPECT_EQ(server.peers[1]->in.find("second"), std::string::npos);
}

TEST_F(Streams, WhatNeverLeftIsNotSent) {
  Request asked = request("POST", "call");
  {
    asio::io_context elsewhere;
    const HttpServer gone(elsewhere);
    asked.url = gone.origin() + "/";
    asked.allowed = AllowList({gone.origin()});
    Settings changed = settings();
    changed.loopback.push_back(gone.origin());
    gate_ = std::make_unique<Gate>(io.get_executor(), changed);
  }
  const auto seen = open(asked);
  until([&] { return seen->end.has_value(); });
  EXPECT_EQ(seen->end->error->kind, ErrorKind::Io);
  EXPECT_FALSE(seen->end->sent);
}

TEST_F(Streams, ClosingAStreamClosesItsConnectionAndNoHandlerFollows) {
  const auto seen = open(request());
  until_asked(1);
  server.write(0, kEvents);
  until([&] { return seen->head.has_value(); });
  seen->stream = nullptr;
  until([&] { return server.peers[0]->is_closed; });
  EXPECT_FALSE(seen->end);
}

TEST_F(Streams, AHandlerMayCloseItsOwnStream) {
  std::unique_ptr<Stream> stream;
  int called = 0;
  StreamHandlers handlers;
  handlers.body = [&](std::string_view) {
    ++called;
    stream = nullptr;
  };
  handlers.head = [](const StreamHead&) {};
  handlers.end = [&](const StreamEnd&) { called += 100; };
  stream = gate().open(request(), {}, std::move(handlers));
  until_asked(1);
  server.write(0, std::string(kEvents) + "3\r\none\r\n");
  until([&] { return server.peers[0]->is_closed; });
  EXPECT_EQ(called, 1);
}

TEST_F(Streams, APausedReaderMakesTheServerWait) {
  constexpr std::size_t kBody = 64u << 20u;
  const auto seen = open(request());
  until_asked(1);
  seen->stream->pause();
  server.write(0, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBody) + "\r\n\r\n");
  for (int i = 0; i < 64; ++i) server.write(0, "");
  until([&] { return seen->head.has_value(); });
  server.write(0, std::string(kBody, 'x'));
  // Runs dry: the pipe is full, and no one reads.
  std::size_t turns = 0;
  while (io.run_one_for(milliseconds(200)) != 0) ++turns;
  EXPECT_GT(turns, 0u);
  EXPECT_EQ(seen->body.size(), 0u);
  EXPECT_FALSE(seen->end);
  seen->stream->resume();
  until([&] { return seen->end.has_value(); });
  EXPECT_FALSE(seen->end->error);
  EXPECT_EQ(seen->body.size(), kBody);
}

TEST_F(Streams, AFastBodyIsReadSlowly) {
  StreamLimits limits;
  limits.bytes_per_s = 1u << 20u;
  constexpr std::size_t kBody = 3u << 19u;  // one second's burst and half a second more
  const auto began = std::chrono::steady_clock::now();
  const auto seen = open(request(), limits);
  until_asked(1);
  server.write(0, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBody) + "\r\n\r\n");
  server.write(0, std::string(kBody, 'x'));
  until([&] { return seen->end.has_value(); });
  EXPECT_EQ(seen->body.size(), kBody);
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(300));
}

TEST_F(Streams, ABodyOverItsLimitEndsTheStream) {
  Request asked = request();
  asked.max_bytes = 10;
  const auto seen = open(asked);
  until_asked(1);
  server.write(0, std::string(kEvents) + "b\r\nhello world\r\n");
  until([&] { return seen->end.has_value(); });
  EXPECT_EQ(seen->end->error->kind, ErrorKind::Internal);
  EXPECT_EQ(seen->body, "");
}

TEST_F(Streams, AHeadOverItsLimitEndsTheStream) {
  const auto seen = open(request());
  until_asked(1);
  server.write(0, "HTTP/1.1 200 OK\r\nX: " + std::string(80'000, 'x') + "\r\n\r\n");
  until([&] { return seen->end.has_value(); });
  EXPECT_TRUE(seen->end->error);
  EXPECT_FALSE(seen->head);
}

TEST_F(Streams, SilenceEndsAStream) {
  StreamLimits limits;
  limits.idle = milliseconds(20);
  const auto seen = open(request(), limits);
  until_asked(1);
  server.write(0, kEvents);
  until([&] { return seen->end.has_value(); });
  ASSERT_TRUE(seen->head);
  EXPECT_EQ(seen->end->error->kind, ErrorKind::DeadlineExceeded);
}

TEST_F(Streams, AServerThatNeverAnswersEndsAStream) {
  StreamLimits limits;
  limits.head = milliseconds(20);
  const auto seen = open(request("POST", "call"), limits);
  until([&] { return seen->end.has_value(); });
  EXPECT_EQ(seen->end->error->kind, ErrorKind::DeadlineExceeded);
  EXPECT_FALSE(seen->head);
}

// Its head says that the server did answer. Nobody reads the body of a redirect.
TEST_F(Streams, ACompressedBodyIsRefusedAfterItsHead) {
  const auto seen = open(request());
  until_asked(1);
  server.peers[0]->in.clear();
  server.write(0,
               "HTTP/1.1 307 Go\r\nLocation: /mcp/\r\nContent-Encoding: gzip\r\n"
               "Content-Length: 3\r\n\r\nabc");
  until_asked(1);
  server.write(0, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc");
  until([&] { return seen->end.has_value(); });
  EXPECT_NE(seen->end->error.value_or(Error()).message.find("compressed"), std::string::npos);
  ASSERT_TRUE(seen->head);
  EXPECT_EQ(seen->head->status, 200);
  EXPECT_EQ(seen->body, "");
}

// curl would name the type of a form.
TEST_F(Streams, ARequestHasOnlyTheTypeThatItWasGiven) {
  const auto bare = open(request("POST"));
  until_asked(1);
  EXPECT_EQ(server.peers[0]->in.find("Content-Type"), std::string::npos);
  Request typed = request("PUT", "{}");
  typed.headers = {{"content-type", "application/json"}};
  const auto second = open(std::move(typed));
  until_asked(2, "{}");
  EXPECT_NE(server.peers[1]->in.find("content-type: application/json\r\n"), std::string::npos);
}

TEST_F(Streams, ARedirectIsFollowedOnlyToAnAllowedOrigin) {
  auto seen = open(request("POST", "call"));
  until_asked(1, "call");
  server.peers[0]->in.clear();
  server.write(0, "HTTP/1.1 307 Go\r\nLocation: /mcp/\r\nContent-Length: 3\r\n\r\nabc");
  until_asked(1, "call");
  EXPECT_TRUE(server.peers[0]->in.starts_with("POST /mcp/ HTTP/1.1\r\n"));
  server.write(0, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  until([&] { return seen->end.has_value(); });
  EXPECT_EQ(seen->body, "ok");
  EXPECT_EQ(seen->head->url, server.origin() + "/mcp/");

  seen = open(request());
  until_asked(1);
  server.write(0,
               "HTTP/1.1 307 Go\r\nLocation: " + other.origin() + "/\r\nContent-Length: 0\r\n\r\n");
  until([&] { return seen->end.has_value(); });
  EXPECT_EQ(seen->end->error->kind, ErrorKind::Denied);
  EXPECT_TRUE(other.peers.empty());
}

TEST_F(Streams, ARedirectDoesNotMakeAPostAGetWhereThatIsRefused) {
  Request asked = request("POST", "call");
  asked.keeps_method = true;
  const auto seen = open(asked);
  until_asked(1, "call");
  server.write(0, "HTTP/1.1 302 Go\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n");
  until([&] { return seen->end.has_value(); });
  EXPECT_EQ(seen->end->error->kind, ErrorKind::Denied);
}

TEST_F(Streams, OnlySoManyAreOpenAtOnce) {
  Settings few = settings();
  few.streams = 1;
  gate_ = std::make_unique<Gate>(io.get_executor(), few);
  const auto first = open(request());
  until_asked(1);
  const auto second = open(request());
  until([&] { return second->end.has_value(); });
  EXPECT_EQ(second->end->error->kind, ErrorKind::Unavailable);
  server.write(0, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  until([&] { return first->end.has_value(); });
  const auto third = open(request());
  until_asked(1);
  EXPECT_FALSE(third->end);
}

// Callers put a stream into their tables when open() has returned.
TEST_F(Streams, ARefusedRequestNeverEndsBeforeItsCallerHasIt) {
  Request too_long = request();
  too_long.url += "?" + std::string(9'000, 'a');
  std::shared_ptr<Seen> seen;
  bool ended_within_open = true;
  bool ended_within_send = false;
  bool is_answered = false;
  asio::post(io, [&] {  // on the thread of the loop, as the host does
    seen = open(too_long);
    ended_within_open = seen->end.has_value();
    gate().send(too_long, [&](const Result<Response>& response) { is_answered = !response; });
    ended_within_send = is_answered;
  });
  until([&] { return seen && seen->end && is_answered; });
  EXPECT_EQ(seen->end->error->kind, ErrorKind::InvalidArgument);
  EXPECT_FALSE(ended_within_open);
  EXPECT_FALSE(ended_within_send);
}

TEST_F(Streams, ARefusedStreamThatItsCallerClosesTellsNobody) {
  Request too_long = request();
  too_long.url += "?" + std::string(9'000, 'a');
  std::shared_ptr<Seen> seen;
  bool is_over = false;
  asio::post(io, [&] {
    seen = open(too_long);
    seen->stream.reset();
    asio::post(io, [&] { asio::post(io, [&] { is_over = true; }); });
  });
  until([&] { return is_over; });
  EXPECT_FALSE(seen->end);
}

TEST_F(Streams, AGateThatIsDestroyedDropsItsStreams) {
  const auto seen = open(request());
  const auto early = open(request());
  until_asked(1);
  gate_ = nullptr;
  io.restart();
  io.poll();
  EXPECT_FALSE(seen->end);
  EXPECT_FALSE(early->end);
}

}  // namespace
}  // namespace host::outbound
