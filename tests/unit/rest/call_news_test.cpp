#include "rest/route/call_news.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "support/run_loop.h"

namespace host::rest {
namespace {

using namespace std::chrono_literals;

struct News : testing::Test {
  test::RunLoop loop;
  router::LiveCalls calls;
  tool::Call call;
  int told = 0;
  std::shared_ptr<CallNews> news =
      std::make_shared<CallNews>(loop.io.get_executor(), calls, [this] { ++told; });

  // Calls come and go all the time.
  void busy_for(std::chrono::milliseconds time) {
    const SteadyTime end = steady_now() + time;
    while (steady_now() < end) {
      { const auto entry = calls.enter(call); }
      loop.io.restart();
      loop.io.run_for(5ms);
    }
  }
};

TEST_F(News, AreToldAFewTimesASecondWhateverHappens) {
  const auto follower = news->follow();
  busy_for(1100ms);
  EXPECT_GE(told, 2);
  EXPECT_LE(told, 4);
}

TEST_F(News, AreOfNobodyWhereNobodyFollows) {
  busy_for(50ms);
  loop.drain();  // nothing waits in the loop
  EXPECT_EQ(told, 0);
  auto follower = news->follow();
  const auto other = news->follow();
  follower.reset();
  { const auto entry = calls.enter(call); }
  loop.drain();
  EXPECT_EQ(told, 1);  // one who follows is left
}

TEST_F(News, OfTheLastChangeAreNeverLost) {
  const auto follower = news->follow();
  { const auto entry = calls.enter(call); }
  loop.drain();
  EXPECT_EQ(told, 1);
  const auto entry = calls.enter(call);
  loop.drain();
  EXPECT_EQ(told, 2);
}

TEST_F(News, EndWithTheFollowerAndBeginWithTheNext) {
  auto follower = news->follow();
  { const auto entry = calls.enter(call); }
  follower.reset();
  loop.drain();
  { const auto entry = calls.enter(call); }
  loop.drain();
  EXPECT_EQ(told, 0);
  follower = news->follow();
  { const auto entry = calls.enter(call); }
  loop.drain();
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace host::rest
