// The tokens of two hosts with one store.
#include "upstream/oauth/access.h"

#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "support/http_server.h"
#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "support/run_until.h"
#include "upstream/oauth/login.h"

namespace host::upstream::oauth {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

fs::path fresh_place() {
  std::string name = (fs::temp_directory_path() / "access-test-XXXXXX").string();
  return ::mkdtemp(name.data());
}

class AccessTest : public ::testing::Test {
 protected:
  // One host. Each has its own connection to the database.
  struct One {
    std::shared_ptr<store::Desk> desk;
    std::shared_ptr<Login> login;
    int changes = 0;
  };

  AccessTest() {
    begin(a_);
    begin(b_);
  }
  ~AccessTest() override {
    clock_.advance(1min);  // a renewal waits no longer
    for (One* const one : {&a_, &b_}) {
      one->login->stop("the test ends");
      one->desk->stop();
    }
    server_.accept_no_more();
    loop_.drain();
    for (One* const one : {&a_, &b_}) *one = {};
    fs::remove_all(place_);
  }

  void begin(One& one) {
    one.desk = std::make_shared<store::Desk>(loop_.io.get_executor(), [this] {
      return store::open_sqlite_store(place_ / "toolpost.db", clock_);
    });
    LoginSettings settings;
    settings.name = "u";
    settings.url = server_.origin() + "/mcp";
    settings.client_id = "toolpost";
    outbound::Settings of_gate;
    of_gate.loopback = {server_.origin()};
    auto gate = std::make_shared<outbound::Gate>(loop_.io.get_executor(), of_gate);
    one.login =
        std::make_shared<Login>(loop_.io.get_executor(), std::move(settings), std::move(gate),
                                one.desk, clock_, std::make_shared<Secrets>());
    one.login->on_change([&one] { ++one.changes; });
  }
  // What a login at this host stores.
  void log_in(One& one, const std::string& who) {
    change_at(one, [&](LoginRecord& record) {
      record.login = who;
      record.url = server_.origin() + "/mcp";
      record.client.id = "toolpost";
      record.token_endpoint = server_.origin() + "/token";
      record.access_token = "token of " + who;
      record.refresh_token = "refresh token of " + who;
    });
  }
  void change_at(One& one, const std::function<void(LoginRecord&)>& change) {
    bool is_done = false;
    Ledger::Change act = [&](LoginRecord& record) {
      change(record);
      return is_done = true;
    };
    const auto ended = loop_.start(one.login->access()->ledger()->change(std::move(act)));
    EXPECT_TRUE(test::run_until(loop_.io, [&] { return ended->has_value(); }));
    EXPECT_TRUE(is_done);
  }
  std::string token(One& one) {
    std::optional<Result<std::string>> got;
    one.login->access()->token([&](Result<std::string> token) { got = std::move(token); });
    EXPECT_TRUE(test::run_until(loop_.io, [&] { return got.has_value(); }));
    return got && *got ? **got : "none";
  }

  const fs::path place_ = fresh_place();
  test::RunLoop loop_;
  test::HttpServer server_{loop_.io};
  test::ManualClock clock_;
  One a_;
  One b_;
};

TEST_F(AccessTest, ALoginAtAnotherHostIsFoundWithinSeconds) {
  log_in(a_, "x");
  EXPECT_EQ(token(b_), "token of x");
  log_in(a_, "y");
  EXPECT_EQ(b_.changes, 0);
  clock_.advance(5s);
  // Its connection is of the former account: the next connection sends the request.
  EXPECT_EQ(token(b_), "none");
  EXPECT_EQ(token(b_), "token of y");
  EXPECT_EQ(b_.changes, 1);
  EXPECT_EQ(token(b_), "token of y");
  EXPECT_EQ(b_.changes, 1);
  change_at(a_, [](LoginRecord& record) { record.access_token = "renewed"; });
  clock_.advance(5s);
  EXPECT_EQ(token(b_), "renewed");
  EXPECT_EQ(b_.changes, 1);  // it is the same account
}

TEST_F(AccessTest, ALogoutAtAnotherHostIsFoundWithinSeconds) {
  log_in(a_, "x");
  EXPECT_EQ(token(b_), "token of x");
  const auto out = loop_.start(a_.login->log_out());
  ASSERT_TRUE(test::run_until(loop_.io, [&] { return out->has_value(); }));
  ASSERT_TRUE(**out);
  EXPECT_EQ(a_.changes, 1);
  clock_.advance(5s);
  EXPECT_EQ(token(b_), "none");
  EXPECT_EQ(token(b_), "");
  EXPECT_EQ(b_.changes, 1);
  EXPECT_EQ(a_.changes, 1);
}

TEST_F(AccessTest, TheLastFormerTokensAreHiddenAndTheirNumberIsBounded) {
  log_in(a_, "x");
  const auto hide = [&](const std::string& text) {
    return a_.login->access()->secrets().hide(text);
  };
  const auto renew = [&](int number) {
    change_at(a_, [&](LoginRecord& record) {
      record.access_token = "access_" + std::to_string(number) + ".";
      record.refresh_token = "refresh_" + std::to_string(number) + ".";
    });
  };
  for (int i = 1; i <= 8; ++i) {
    renew(i);
    EXPECT_EQ(hide("token of x, refresh token of x"), "[secret], [secret]") << i;
  }
  renew(9);
  EXPECT_EQ(hide("token of x"), "token of x");
  EXPECT_EQ(hide("access_1. refresh_1. access_9."), "[secret] [secret] [secret]");
  // The same refresh token with several access tokens is one value.
  for (int i = 20; i < 40; ++i)
    change_at(a_,
              [&](LoginRecord& record) { record.access_token = "access_" + std::to_string(i); });
  EXPECT_EQ(hide("refresh_9."), "[secret]");
}

class Renewals : public AccessTest {
 protected:
  // Answers requests for tokens until `host` has its next token.
  void expect_renewal(One& one, const std::string& status, const std::string& body) {
    std::optional<Result<std::string>> got;
    const std::size_t peers = server_.peers.size();
    one.login->access()->token([&](Result<std::string> token) { got = std::move(token); });
    ASSERT_TRUE(test::run_until(loop_.io, [&] { return got || server_.peers.size() > peers; }));
    ASSERT_FALSE(got);
    server_.write(peers, "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" +
                             "Connection: close\r\nContent-Length: " + std::to_string(body.size()) +
                             "\r\n\r\n" + body);
    ASSERT_TRUE(test::run_until(loop_.io, [&] { return got.has_value(); }));
    is_renewed_ = got->has_value() && **got == "fresh";
  }
  bool is_renewed_ = false;
};

constexpr const char* kFresh = R"({"access_token":"fresh","token_type":"Bearer"})";

TEST_F(Renewals, AReservationByAClockThatWasAheadIsNone) {
  log_in(a_, "x");
  change_at(a_, [&](LoginRecord& record) {
    record.expires = clock_.wall();
    record.renewer = "a host with a different clock";
    record.renewing_until = clock_.wall() + 24h * 365;
  });
  expect_renewal(b_, "200 OK", kFresh);
  EXPECT_TRUE(is_renewed_);
}

TEST_F(Renewals, OneThatFailedKeepsNoOtherHostWaiting) {
  log_in(a_, "x");
  change_at(a_, [&](LoginRecord& record) { record.expires = clock_.wall(); });
  expect_renewal(a_, "500 Internal Server Error", "{}");
  EXPECT_FALSE(is_renewed_);
  expect_renewal(b_, "200 OK", kFresh);
  EXPECT_TRUE(is_renewed_);
}

}  // namespace
}  // namespace host::upstream::oauth
