// Server-sent events over the HTTP server.
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <thread>

#include "http_fixture.h"

namespace host::transport {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

class HttpStreams : public HttpTest {
 protected:
  // Every request opens a stream, which outlives its handler.
  void serve_streams(HttpOptions options = {}) {
    handler_.answer = [this](HttpExchange& exchange) -> asio::awaitable<void> {
      exchange.on_disconnect([this] { ++gone_; });
      stream_ = exchange.stream();
      co_return;
    };
    serve(options);
  }

  void wait_until_open() {
    while (!on_io([&] { return stream_ && stream_->open(); })) std::this_thread::yield();
  }

  std::shared_ptr<EventStream> stream_;
  std::atomic<int> gone_ = 0;
};

TEST_F(HttpStreams, SendsTheHeadAtOnceAndEventsAsTheyCome) {
  serve_streams();
  auto client = connect();
  client.send(get("/"));
  const auto head = client.read_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_TRUE(head.has("Content-Type: text/event-stream"));
  EXPECT_TRUE(head.has("Cache-Control: no-cache, no-transform"));
  EXPECT_TRUE(head.has("X-Accel-Buffering: no"));
  on_io([&] {
    EXPECT_TRUE(stream_->comment("hi"));
    EXPECT_TRUE(stream_->send("{}"));
    EXPECT_TRUE(stream_->send("a\nb", "7"));
    EXPECT_TRUE(stream_->comment("not now"));  // what waits keeps the connection busy
    EXPECT_TRUE(stream_->prime("8", 500ms));
    stream_->close();
    EXPECT_FALSE(stream_->send("after the end"));
  });
  ASSERT_TRUE(client.read_until("\r\n0\r\n\r\n"));
  EXPECT_NE(client.buffer().find(": hi\n\n"
                                 "event: message\ndata: {}\n\n"
                                 "event: message\nid: 7\ndata: a\ndata: b\n\n"
                                 "id: 8\nretry: 500\ndata: \n\n"),
            std::string::npos);
  EXPECT_EQ(client.buffer().find("after"), std::string::npos);
}

TEST_F(HttpStreams, ServesTheNextRequestAfterTheEndOfAStream) {
  serve_streams();
  auto client = connect();
  client.send(get("/"));
  EXPECT_EQ(client.read_head().status, 200);
  on_io([&] { stream_->close(); });
  ASSERT_TRUE(client.read_until("0\r\n\r\n"));
  on_io([&] { handler_.answer = nullptr; });
  client.send(get("/next"));
  EXPECT_TRUE(client.read_until("GET /next "));
}

// Nobody would read what the client asks next on it.
TEST_F(HttpStreams, AStreamThatEndsBeforeItsHandlerTakesTheConnectionAlong) {
  asio::steady_timer work(io_, asio::steady_timer::time_point::max());
  std::atomic<int> handled = 0;
  handler_.answer = [&](HttpExchange& exchange) -> asio::awaitable<void> {
    if (exchange.request().path() == "/told") exchange.close_after_stream();
    exchange.stream()->close();
    boost::system::error_code ignored;
    co_await work.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    ++handled;
  };
  serve();
  for (const std::string path : {"/told", "/untold"}) {
    auto client = connect();
    client.send(get(path));
    EXPECT_EQ(client.read_head().has("Connection: close"), path == "/told");
    EXPECT_TRUE(client.ended());
    EXPECT_EQ(on_io([&] { return server_->connections(); }), 0u);
  }
  EXPECT_EQ(handled, 0);
  on_io([&] { work.cancel(); });
  while (handled < 2) std::this_thread::yield();
}

TEST_F(HttpStreams, ClosesTheStreamAndTellsWhenThePeerLeaves) {
  serve_streams();
  auto client = connect();
  client.send(get("/"));
  EXPECT_EQ(client.read_head().status, 200);
  client.close();
  while (gone_ == 0) std::this_thread::yield();
  EXPECT_FALSE(on_io([&] { return stream_->open() || stream_->send("x"); }));
  EXPECT_EQ(on_io([&] { return server_->connections(); }), 0u);
}

TEST_F(HttpStreams, ALargeEventArrivesAfterASmallOneOfTheSameTurn) {
  handler_.answer = [](HttpExchange& exchange) -> asio::awaitable<void> {
    const auto stream = exchange.stream();
    stream->prime("1", 500ms);
    EXPECT_TRUE(stream->send("small"));
    EXPECT_TRUE(stream->send(std::string(2u << 20u, 'x')));
    stream->close();
    co_return;
  };
  serve();
  auto client = connect();
  client.send(get("/"));
  ASSERT_TRUE(client.read_until("0\r\n\r\n"));
  EXPECT_NE(client.buffer().find("data: small\n"), std::string::npos);
  EXPECT_NE(client.buffer().find(std::string(2u << 20u, 'x') + "\n\n"), std::string::npos);
}

TEST_F(HttpStreams, DropsAStreamWhoseReceiverIsTooSlow) {
  HttpOptions options;
  options.stream_bytes = 64u << 10u;
  serve_streams(options);
  auto client = connect();
  client.send(get("/"));
  wait_until_open();
  const std::string event(16u << 10u, 'x');
  int sent = 0;
  while (on_io([&] { return stream_->send(event); })) ASSERT_LT(++sent, 10'000);
  while (on_io([&] { return server_->connections(); }) > 0) std::this_thread::yield();
  EXPECT_EQ(gone_, 1);
}

TEST_F(HttpStreams, ClosesAConnectionThatIsResetAfterItsReceiverHalfClosedIt) {
  serve_streams();
  auto client = connect();
  client.send(get("/"));
  wait_until_open();
  const std::string event(64u << 10u, 'x');
  // What still waits some turns of the loop later waits for room in the socket.
  const auto waits = [&] {
    for (int turn = 0; turn < 10; ++turn) on_io([] {});
    return on_io([&] { return stream_->waiting(); }) > 0;
  };
  while (!waits()) on_io([&] { stream_->send(event); });
  client.end();
  while (gone_ == 0) std::this_thread::yield();
  EXPECT_EQ(on_io([&] { return server_->connections(); }), 1u);
  client.reset();
  while (on_io([&] { return server_->connections(); }) > 0) std::this_thread::yield();
}

TEST_F(HttpStreams, CommentsOnAnIdleStream) {
  HttpOptions options;
  options.stream_comment = 40ms;
  serve_streams(options);
  auto client = connect();
  client.send(get("/"));
  EXPECT_TRUE(client.read_until(": keep-alive\n\n"));
}

TEST_F(HttpStreams, StopEndsStreamsAfterWhatIsQueued) {
  serve_streams();
  auto client = connect();
  client.send(get("/"));
  wait_until_open();
  std::promise<void> stopped;
  on_io([&] {
    stream_->send("the last");
    server_->stop(10s, [&] { stopped.set_value(); });
  });
  EXPECT_EQ(stopped.get_future().wait_for(5s), std::future_status::ready);
  EXPECT_TRUE(client.read_until("data: the last\n\n"));
  EXPECT_TRUE(client.ended());
}

TEST_F(HttpStreams, MayOutliveTheServer) {
  serve_streams();
  auto client = connect();
  client.send(get("/"));
  wait_until_open();
  on_io([&] { server_.reset(); });
  EXPECT_FALSE(on_io([&] { return stream_->send("x"); }));
}

}  // namespace
}  // namespace host::transport
