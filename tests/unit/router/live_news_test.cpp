#include "router/live/live_news.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/manual_clock.h"

namespace host::router {
namespace {

class Listening final : public LiveNews::Listener {
 public:
  bool follows(std::string_view session) const override { return session == followed; }
  void progress(const tool::Call&, double done, double, std::string_view message) override {
    heard.push_back(std::to_string(static_cast<int>(done)) + " " + std::string(message));
  }
  void log(const tool::Call&, int, std::string_view, std::string_view message,
           std::size_t left_out) override {
    heard.push_back(std::string(message) + " " + std::to_string(left_out));
  }

  std::string followed = "s_1";
  std::vector<std::string> heard;
};

class Client final : public tool::Observer {
 public:
  bool wants_progress() const override { return wants; }
  bool wants_log() const override { return wants; }
  void progress(double, double, std::string_view) override { ++heard; }
  void log(int, std::string_view, std::string_view, std::string_view) override { ++heard; }

  bool wants = true;
  int heard = 0;
};

class LiveNewsTest : public ::testing::Test {
 protected:
  LiveNewsTest() {
    news.listen(&listening);
    of_session("s_1");
  }
  void of_session(const std::string& session) {
    auto passport = std::make_shared<tool::Passport>();
    passport->who = {"ann", "", session};
    call.passport = std::move(passport);
  }

  test::ManualClock clock;
  LiveNews news;
  Listening listening;
  Client client;
  tool::Call call;
};

TEST_F(LiveNewsTest, TheClientAndTheFollowersHearOfACallThatRuns) {
  call.observer = &client;
  {
    LiveWatch watch(&news, call, clock);
    call.observer->progress(1, 2, "one");
    call.observer->log(1, "l", "line", "");
    client.wants = false;
    call.observer->progress(2, 2, "two");
  }
  EXPECT_EQ(listening.heard, (std::vector<std::string>{"1 one", "line 0", "2 two"}));
  EXPECT_EQ(client.heard, 2);
  EXPECT_EQ(call.observer, &client) << "the client's observer is back";
}

TEST_F(LiveNewsTest, ACallWithoutASessionIsNotWatched) {
  of_session("");
  LiveWatch watch(&news, call, clock);
  EXPECT_EQ(call.observer, nullptr);
}

TEST_F(LiveNewsTest, ASessionThatNobodyFollowsIsNotTold) {
  LiveWatch watch(&news, call, clock);
  listening.followed = "s_2";
  call.observer->progress(1, 2, "");
  news.listen(nullptr);
  call.observer->log(1, "", "line", "");
  EXPECT_TRUE(listening.heard.empty());
}

TEST_F(LiveNewsTest, WhatComesTooFastIsLeftOutButNotTheLastStep) {
  LiveWatch watch(&news, call, clock);
  for (int i = 1; i <= 1'000; ++i) call.observer->progress(i, 1'000, "");
  EXPECT_LT(listening.heard.size(), 30u);
  EXPECT_EQ(listening.heard.back(), "1000 ");
  listening.heard.clear();
  for (int i = 0; i < 100; ++i) call.observer->log(1, "", "line", "");
  clock.advance(std::chrono::seconds(10));
  call.observer->log(1, "", "after", "");
  EXPECT_EQ(listening.heard.back(), "after 80");
}

TEST_F(LiveNewsTest, TheLastReportOfACallIsNotLost) {
  {
    LiveWatch watch(&news, call, clock);
    for (int i = 1; i <= 100; ++i) call.observer->progress(i, 0, "at");
    EXPECT_EQ(listening.heard.back(), "20 at");
  }
  EXPECT_EQ(listening.heard.size(), 21u);
  EXPECT_EQ(listening.heard.back(), "100 at");
}

TEST_F(LiveNewsTest, OneLastStepPassesTheLimit) {
  LiveWatch watch(&news, call, clock);
  for (int i = 1; i <= 1'000; ++i) call.observer->progress(i, 1, "");
  EXPECT_EQ(listening.heard.size(), 21u);
}

TEST_F(LiveNewsTest, ProgressThatDoesNotGrowOrIsNoNumberAndDebugLinesAreLeftOut) {
  LiveWatch watch(&news, call, clock);
  call.observer->progress(2, 0, "");
  call.observer->progress(2, 0, "");
  call.observer->progress(std::numeric_limits<double>::quiet_NaN(), 0, "");
  call.observer->progress(3, std::numeric_limits<double>::infinity(), "");
  call.observer->log(0, "", "debug", "");
  EXPECT_EQ(listening.heard, std::vector<std::string>{"2 "});
}

}  // namespace
}  // namespace host::router
