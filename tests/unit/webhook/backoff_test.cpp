#include "webhook/backoff.h"

#include <gtest/gtest.h>

namespace host::webhook {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, GrowsFourfoldUpToItsMost) {
  const Retries retries;
  EXPECT_EQ(pause_after(retries, 1, 0s, 0.5), 5s);
  EXPECT_EQ(pause_after(retries, 2, 5s, 0.5), 20s);
  EXPECT_EQ(pause_after(retries, 3, 25s, 0.5), 80s);
  EXPECT_EQ(pause_after(retries, 9, 10h, 0.5), 12h);
  EXPECT_EQ(pause_after(retries, 4'000'000'000u, 10h, 0.5), 12h);
}

TEST(Backoff, IsUpToAFifthLongerOrShorter) {
  EXPECT_EQ(pause_after({}, 1, 0s, 0), 4s);
  EXPECT_EQ(pause_after({}, 1, 0s, 0.999999), 5999ms);
}

TEST(Backoff, EndsWithAnAttemptAtTheEndOfTheTime) {
  const Retries retries{5s, 12h, 72h};
  EXPECT_EQ(pause_after(retries, 12, 71h, 0.5), 1h);
  EXPECT_EQ(pause_after(retries, 13, 72h, 0.5), std::nullopt);
  EXPECT_EQ(pause_after(retries, 13, 100h, 0.5), std::nullopt);
}

// The host was stopped meanwhile, or the clock has jumped.
TEST(Backoff, GivesUpNothingThatWasHardlyAttempted) {
  EXPECT_EQ(pause_after({}, 1, 100h, 0.5), 5s);
  EXPECT_EQ(pause_after({}, kLeastAttempts - 1, 100h, 0.5), 320s);
  EXPECT_EQ(pause_after({}, kLeastAttempts, 100h, 0.5), std::nullopt);
}

TEST(Backoff, WaitsAsLongAsTheReceiverAskedForWithinItsMost) {
  EXPECT_EQ(pause_after({}, 1, 0s, 0.5, 90s), 90s);
  EXPECT_EQ(pause_after({}, 1, 0s, 0.5, 1s), 5s);
  EXPECT_EQ(pause_after({}, 1, 0s, 0.5, 24h), 12h);
}

// From the defaults: about a dozen attempts in three days.
TEST(Backoff, MakesAbout14AttemptsInThreeDays) {
  const Retries retries;
  std::chrono::milliseconds age{0};
  std::uint32_t attempts = 1;
  while (const auto pause = pause_after(retries, attempts, age, 0.5)) {
    age += *pause;
    ++attempts;
  }
  EXPECT_EQ(age, 72h);
  EXPECT_EQ(attempts, 14u);
}

}  // namespace
}  // namespace host::webhook
