// A server on a free port of loopback, run by one thread, with a handler of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "support/raw_client.h"
#include "transport/http/http_server.h"

namespace host::transport {

class TestHandler : public HttpHandler {
 public:
  using Answer = std::function<boost::asio::awaitable<void>(HttpExchange&)>;

  // Who shows a key here shows it by X-Who.
  Admission admit(const HttpRequest& request) override {
    Admission admission;
    admission.principal = request.header("X-Who");
    admission.essential = request.path() == "/healthz";
    return admission;
  }

  ErrorForm error_form(std::string_view path) const override {
    return path.starts_with("/rest/") ? ErrorForm::Rest : ErrorForm::JsonRpc;
  }

  boost::asio::awaitable<void> handle(HttpExchange& exchange) override {
    ++requests;
    if (answer) {
      co_await answer(exchange);
      co_return;
    }
    const HttpRequest& request = exchange.request();
    std::string text = std::string(request.method()) + " " + std::string(request.path());
    if (!request.query().empty()) text += "?" + std::string(request.query());
    text += " " + std::string(request.body());
    exchange.respond(200, std::move(text), "text/plain");
  }

  Answer answer;
  std::atomic<int> requests = 0;
};

class HttpTest : public ::testing::Test {
 protected:
  void serve(HttpOptions options = {}) {
    if (!options.listen.starts_with("unix:")) options.listen = "127.0.0.1:0";
    auto server = HttpServer::listen(io_, handler_, std::move(options));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(server).value();
    thread_ = std::thread([this] {
      const auto work = boost::asio::make_work_guard(io_);
      io_.run();
    });
  }

  // Runs `act` on the I/O thread and waits for it.
  template <class Act>
  auto on_io(Act act) {
    std::packaged_task<decltype(act())()> task(std::move(act));
    auto done = task.get_future();
    boost::asio::post(io_, std::move(task));
    return done.get();
  }

  void TearDown() override {
    if (!thread_.joinable()) return;
    on_io([this] { server_.reset(); });
    io_.stop();
    thread_.join();
  }

  test::RawClient connect() { return test::RawClient(server_->port()); }

  static std::string post(std::string_view path, std::string_view body,
                          std::string_view fields = "") {
    return "POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
  }
  static std::string get(std::string_view path, std::string_view fields = "") {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) +
           "\r\n";
  }

  void expect_good_request() {
    auto client = connect();
    client.send(post("/good", "still here"));
    const auto answer = client.read_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(handler_.answer || answer.body == "POST /good still here") << answer.body;
  }

  boost::asio::io_context io_{1};
  TestHandler handler_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace host::transport
