#include "router/step/check_turns.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/manual_clock.h"

namespace host::router {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

tool::Call call_of(const std::string& principal) {
  tool::Call call;
  tool::Passport passport;
  passport.who.principal = principal;
  call.passport = std::make_shared<const tool::Passport>(std::move(passport));
  return call;
}

class CheckTurnsTest : public ::testing::Test {
 protected:
  // Starts to wait. The result is there once the wait has ended.
  void wait(const tool::Call& call, std::optional<Result<void>>& ended) {
    asio::co_spawn(io, turns.wait(call),
                   [&ended](const std::exception_ptr& fault, Result<void> result) {
                     ASSERT_EQ(fault, nullptr);
                     ended = std::move(result);
                   });
    io.poll();
    io.restart();
  }

  asio::io_context io;
  CheckTurns turns{system_clock()};
};

TEST_F(CheckTurnsTest, WhoTookLongWaitsAndOthersDoNot) {
  const tool::Call slow = call_of("anna");
  const tool::Call other = call_of("bob");
  turns.took("anna", 110ms);  // ten times as long, less what is free
  EXPECT_TRUE(turns.must_wait(slow));
  EXPECT_FALSE(turns.must_wait(other));
  std::optional<Result<void>> first, second;
  wait(slow, first);
  wait(other, second);
  EXPECT_FALSE(first);
  ASSERT_TRUE(second);
  EXPECT_TRUE(*second);
  io.run();
  ASSERT_TRUE(first);
  EXPECT_TRUE(*first);
}

TEST_F(CheckTurnsTest, QuickChecksCountForNothing) {
  const tool::Call call = call_of("anna");
  for (int i = 0; i < 100'000; ++i) turns.took("anna", 900us);
  EXPECT_FALSE(turns.must_wait(call));
  std::optional<Result<void>> ended;
  wait(call, ended);
  EXPECT_TRUE(ended);
}

// Works for the time, on the processor or without it.
void spin(std::chrono::milliseconds time) {
  for (const SteadyTime end = steady_now() + time; steady_now() < end;) {
  }
}

TEST_F(CheckTurnsTest, ASlowCheckCountsAlthoughNobodyHasMeasuredTheProcessor) {
  const CheckTurns::Began began = turns.began();
  EXPECT_FALSE(began.cpu);
  spin(110ms);
  turns.ended("anna", began);
  EXPECT_TRUE(turns.must_wait(call_of("anna")));
}

TEST_F(CheckTurnsTest, TimeInWhichTheHostWasStoppedCountsUpToTheLimitOfACheck) {
  test::ManualClock clock;
  CheckTurns stopped(clock);
  CheckTurns::Began began = stopped.began();
  ASSERT_FALSE(began.cpu);
  began.at -= 1h;
  stopped.ended("anna", began);
  EXPECT_TRUE(stopped.must_wait(call_of("anna")));
  clock.advance(1s);
  EXPECT_FALSE(stopped.must_wait(call_of("anna")));
}

TEST_F(CheckTurnsTest, AfterASlowCheckOnlyTimeOnTheProcessorCounts) {
  const CheckTurns::Began first = turns.began();
  spin(2ms);
  turns.ended("bob", first);  // who gets the time that this machine may take for others
  CheckTurns::Began second = turns.began();
  ASSERT_TRUE(second.cpu);
  second.at -= 1h;  // as if another process had had the processor
  turns.ended("anna", second);
  EXPECT_FALSE(turns.must_wait(call_of("anna")));
}

TEST_F(CheckTurnsTest, ACancelEndsTheWaitAndTooManyAreRefused) {
  const tool::Call call = call_of("anna");
  turns.took("anna", 1h);
  std::vector<std::optional<Result<void>>> waiting(64);
  for (auto& one : waiting) wait(call, one);
  std::optional<Result<void>> refused;
  wait(call, refused);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error().kind, ErrorKind::Unavailable);
  call.cancel->request();
  io.run();
  for (const auto& one : waiting) {
    ASSERT_TRUE(one);
    EXPECT_EQ(one->error().kind, ErrorKind::Cancelled);
  }
}

}  // namespace
}  // namespace host::router
