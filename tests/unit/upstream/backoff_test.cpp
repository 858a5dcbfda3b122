#include "upstream/manager/backoff.h"

#include <gtest/gtest.h>

namespace host::upstream {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToAMostAndBeginsAnewAfterAConnectionThatLasted) {
  Backoff backoff(500ms, 3s);
  SteadyTime now{1h};
  EXPECT_EQ(backoff.failed(now), 500ms);
  EXPECT_EQ(backoff.failed(now), 1000ms);
  EXPECT_EQ(backoff.failed(now), 2000ms);
  EXPECT_EQ(backoff.failed(now), 3000ms);
  backoff.became_ready(now);
  EXPECT_EQ(backoff.failed(now + 1s), 3000ms);
  backoff.became_ready(now);
  EXPECT_EQ(backoff.failed(now + 4s), 500ms);
}

TEST(Backoff, AConnectionOfTenSecondsIsGoodHoweverLongThePause) {
  Backoff backoff(500ms, 60s);
  const SteadyTime now{1h};
  EXPECT_EQ(backoff.failed(now), 500ms);
  backoff.became_ready(now);
  EXPECT_EQ(backoff.failed(now + 9999ms), 1000ms);
  backoff.became_ready(now);
  EXPECT_EQ(backoff.failed(now + 10s), 500ms);
  EXPECT_EQ(backoff.failed(now + 1h), 1000ms) << "it was not ready since";
}

TEST(Backoff, ASessionThatAnsweredACallIsFollowedByTheNextImmediately) {
  Backoff backoff(500ms, 60s);
  const SteadyTime now{1h};
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(backoff.forgot_session(now, true));
    backoff.became_ready(now);
  }
  EXPECT_EQ(backoff.failed(now), 500ms) << "no lost session counts as a failure";
}

TEST(Backoff, ASessionThatLastedIsFollowedByTheNextImmediately) {
  Backoff backoff(500ms, 60s);
  const SteadyTime now{1h};
  for (int i = 0; i < 5; ++i) {
    backoff.became_ready(now);
    EXPECT_TRUE(backoff.forgot_session(now + 10s, false));
  }
}

TEST(Backoff, OnlyTheFirstSessionThatWasGoodForNothingIsFollowedImmediately) {
  Backoff backoff(500ms, 60s);
  const SteadyTime now{1h};
  EXPECT_TRUE(backoff.forgot_session(now, false));
  EXPECT_FALSE(backoff.forgot_session(now, false));
  EXPECT_EQ(backoff.failed(now), 500ms);
  EXPECT_FALSE(backoff.forgot_session(now, false));
  EXPECT_EQ(backoff.failed(now), 1000ms);
  EXPECT_TRUE(backoff.forgot_session(now, true));
  EXPECT_FALSE(backoff.forgot_session(now, false));
  EXPECT_EQ(backoff.failed(now), 500ms);
  backoff.reset();
  EXPECT_TRUE(backoff.forgot_session(now, false));
}

}  // namespace
}  // namespace host::upstream
