// Bodies that are never whole in memory: a request to a BodySink, an answer from a BodySource.
#include <boost/asio/post.hpp>

#include <algorithm>
#include <mutex>
#include <string>

#include "http_fixture.h"

namespace host::transport {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

class Sink final : public BodySink {
 public:
  struct Seen {
    std::string body;
    std::size_t largest = 0;
    int pieces = 0;
    int alive = 0;
    bool waits = false;  // pieces are not taken yet
    std::optional<HttpRefusal> refusal;
    Done done;
  };

  Sink(asio::io_context& io, Seen& seen, std::chrono::milliseconds timeout)
      : io_(io), seen_(seen), timeout_(timeout) {
    ++seen_.alive;
  }
  ~Sink() override { --seen_.alive; }

  std::chrono::milliseconds timeout() const override { return timeout_; }
  void take(std::string piece, Done done) override {
    seen_.body += piece;
    seen_.largest = std::max(seen_.largest, piece.size());
    ++seen_.pieces;
    if (seen_.waits) {
      seen_.done = std::move(done);
      return;
    }
    asio::post(io_, [refusal = seen_.refusal, done = std::move(done)] { done(refusal); });
  }

 private:
  asio::io_context& io_;
  Seen& seen_;
  const std::chrono::milliseconds timeout_;
};

class StreamingHandler final : public HttpHandler {
 public:
  explicit StreamingHandler(asio::io_context& io) : io_(io) {}

  bool may_stream(const HttpRequest& request) const override { return request.path() == "/up"; }
  Admission admit(const HttpRequest& request) override {
    Admission admission;
    if (request.path() == "/up") admission.sink = std::make_shared<Sink>(io_, seen, timeout);
    return admission;
  }
  asio::awaitable<void> handle(HttpExchange& exchange) override {
    if (source) {
      exchange.send_from(200, std::exchange(source, nullptr), "text/plain", {});
    } else {
      exchange.respond(200,
                       "got " + std::to_string(seen.body.size()) + " and " +
                           std::to_string(exchange.request().body().size()),
                       "text/plain");
    }
    co_return;
  }

  asio::io_context& io_;
  Sink::Seen seen;
  std::chrono::milliseconds timeout{10'000};
  std::shared_ptr<BodySource> source;
};

class BodyStreamTest : public ::testing::Test {
 protected:
  void serve(HttpOptions options = {}) {
    options.listen = "127.0.0.1:0";
    server_ = HttpServer::listen(io_, handler_, std::move(options)).value();
    thread_ = std::thread([this] {
      const auto work = asio::make_work_guard(io_);
      io_.run();
    });
  }
  template <class Act>
  auto on_io(Act act) {
    std::packaged_task<decltype(act())()> task(std::move(act));
    auto done = task.get_future();
    asio::post(io_, std::move(task));
    return done.get();
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    on_io([this] { server_.reset(); });
    io_.stop();
    thread_.join();
  }
  test::RawClient connect() { return test::RawClient(server_->port()); }
  static std::string head(std::size_t length) {
    return "PUT /up HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(length) +
           "\r\n\r\n";
  }
  // Looks until `act` is true on the I/O thread.
  template <class Act>
  bool happens(Act act) {
    for (int i = 0; i < 3000; ++i) {
      if (on_io(act)) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  asio::io_context io_{1};
  StreamingHandler handler_{io_};
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

TEST_F(BodyStreamTest, ABodyBeyondTheLimitGoesToTheSinkInSmallPieces) {
  HttpOptions options;
  options.body_bytes = 1000;
  options.bodies_bytes = 1u << 20u;
  options.bodies_bytes_per_principal = 1u << 20u;
  serve(options);
  auto client = connect();
  const std::string body(3'000'000, 'x');
  client.send(head(body.size()) + body + "GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_answer().body, "got 3000000 and 0");
  EXPECT_EQ(client.read_answer().status, 200);  // what follows it on the connection
  EXPECT_LE(handler_.seen.largest, 128u << 10u);
  on_io([this] { EXPECT_EQ(server_->body_bytes(), 0u); });
}

TEST_F(BodyStreamTest, AnEmptyBodyHasNoPieces) {
  serve();
  auto client = connect();
  client.send(head(0));
  EXPECT_EQ(client.read_answer().body, "got 0 and 0");
  EXPECT_EQ(handler_.seen.pieces, 0);
}

TEST_F(BodyStreamTest, NothingIsReadWhileTheSinkIsBusy) {
  serve();
  handler_.seen.waits = true;
  auto client = connect();
  client.send(head(200'000) + std::string(100'000, 'x'));
  ASSERT_TRUE(happens([this] { return handler_.seen.pieces == 1; }));
  client.send(std::string(100'000, 'x'));
  EXPECT_EQ(on_io([this] { return handler_.seen.pieces; }), 1);
  on_io([this] {
    handler_.seen.waits = false;
    handler_.seen.done(std::nullopt);
  });
  EXPECT_EQ(client.read_answer().body, "got 200000 and 0");
}

TEST_F(BodyStreamTest, ARefusalOfTheSinkIsTheAnswer) {
  serve();
  handler_.seen.refusal = HttpRefusal{Problem::Unavailable, "the disk is full", {}};
  auto client = connect();
  client.send(head(5'000'000) + std::string(20'000, 'x'));
  const auto answer = client.read_answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.head.find("\r\nRetry-After: 5\r\n"), std::string::npos);
  EXPECT_NE(answer.body.find("the disk is full"), std::string::npos);
  client.end();
  EXPECT_TRUE(happens([this] { return handler_.seen.alive == 0; }));
}

TEST_F(BodyStreamTest, ASinkEndsWithItsConnection) {
  serve();
  {
    auto client = connect();
    client.send(head(1000) + "half");
    ASSERT_TRUE(happens([this] { return handler_.seen.body == "half"; }));
  }
  EXPECT_TRUE(happens([this] { return handler_.seen.alive == 0; }));
}

TEST_F(BodyStreamTest, TheSinksOwnTimeoutEndsASlowBody) {
  handler_.timeout = 100ms;
  serve();
  auto client = connect();
  client.send(head(1000) + "half");
  EXPECT_EQ(client.read_answer().status, 408);
}

TEST_F(BodyStreamTest, AChunkedBodyIsRefused) {
  serve();
  auto client = connect();
  client.send("PUT /up HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 411);
}

class Source final : public BodySource {
 public:
  Source(asio::io_context& io, std::uint64_t bytes, std::uint64_t fails_at)
      : io_(io), bytes_(bytes), fails_at_(fails_at) {}

  std::uint64_t bytes() const override { return bytes_; }
  void next(std::function<void(Result<std::string>)> done) override {
    Result<std::string> piece = Error{ErrorKind::Io, "it has gone"};
    const std::uint64_t most = std::min<std::uint64_t>(bytes_ - at_, 100'000);
    if (at_ < fails_at_) piece = std::string(static_cast<std::size_t>(most), 'y');
    at_ += most;
    asio::post(io_, [piece, done] { done(piece); });
  }

 private:
  asio::io_context& io_;
  const std::uint64_t bytes_;
  const std::uint64_t fails_at_;
  std::uint64_t at_ = 0;
};

TEST_F(BodyStreamTest, AnAnswerIsSentPieceByPiece) {
  serve();
  handler_.source = std::make_shared<Source>(io_, 1'234'567, 1u << 30u);
  auto client = connect();
  client.send("GET /down HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto answer = client.read_answer();
  EXPECT_TRUE(answer.has("Content-Length: 1234567"));
  EXPECT_EQ(answer.body, std::string(1'234'567, 'y'));
  client.send("GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(BodyStreamTest, HeadAndAnEmptyFileHaveNoPieces) {
  serve();
  handler_.source = std::make_shared<Source>(io_, 0, 0);
  auto client = connect();
  client.send("GET /down HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client.read_answer().has("Content-Length: 0"));
  client.send("GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(BodyStreamTest, AFailureInTheMiddleEndsTheConnection) {
  serve();
  handler_.source = std::make_shared<Source>(io_, 300'000, 150'000);
  auto client = connect();
  client.send("GET /down HTTP/1.1\r\nHost: localhost\r\n\r\n");
  client.read_answer();
  EXPECT_TRUE(happens([this] { return server_->connections() == 0; }));
}

}  // namespace
}  // namespace host::transport
