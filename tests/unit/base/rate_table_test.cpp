#include "base/rate_table.h"

#include <gtest/gtest.h>

#include "support/manual_clock.h"

namespace host {
namespace {

using std::chrono::seconds;
using test::ManualClock;

constexpr Rate kThreeAMinute{3, seconds(60)};

TEST(RateTable, GrantsTheQuotaAtOnceAndThenEvenly) {
  ManualClock clock;
  RateTable table(clock, 10);
  for (const std::uint32_t left : {2u, 1u, 0u}) {
    const auto taken = table.take("ada", kThreeAMinute);
    EXPECT_TRUE(taken.granted);
    EXPECT_EQ(taken.left, left);
  }
  const auto refused = table.take("ada", kThreeAMinute);
  EXPECT_FALSE(refused.granted);
  EXPECT_EQ(refused.left, 0u);
  EXPECT_EQ(refused.until_next, seconds(20));
  EXPECT_EQ(refused.until_whole, seconds(60));
  clock.advance(seconds(20));
  EXPECT_TRUE(table.take("ada", kThreeAMinute).granted);
  EXPECT_FALSE(table.take("ada", kThreeAMinute).granted);
}

TEST(RateTable, ARefusalCostsNothing) {
  ManualClock clock;
  RateTable table(clock, 10);
  for (int i = 0; i < 100; ++i) table.take("ada", kThreeAMinute);
  clock.advance(seconds(60));
  EXPECT_EQ(table.take("ada", kThreeAMinute).left, 2u);
}

TEST(RateTable, NobodyTakesFromAnother) {
  ManualClock clock;
  RateTable table(clock, 10);
  for (int i = 0; i < 100; ++i) table.take("ada", kThreeAMinute);
  EXPECT_TRUE(table.take("bob", kThreeAMinute).granted);
}

TEST(RateTable, GivesBackWhatSomethingElseRefused) {
  ManualClock clock;
  RateTable table(clock, 10);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(table.take("ada", kThreeAMinute).granted);
    const RateTable::Taken again = table.give_back("ada", kThreeAMinute);
    EXPECT_EQ(again.left, 3u);
    EXPECT_EQ(again.until_whole, seconds(0)) << "the time that this event would take is given back";
  }
  EXPECT_EQ(table.take("ada", kThreeAMinute).left, 2u);
}

TEST(RateTable, ForgetsNamesWhoseQuotaIsWhole) {
  ManualClock clock;
  RateTable table(clock, 100'000);
  for (int i = 0; i < 1'000'000; ++i) {
    table.take(std::to_string(i), kThreeAMinute);
    clock.advance(std::chrono::milliseconds(100));
  }
  EXPECT_LE(table.size(), 2048u);
}

// Names in use keep their own quota; new ones share one.
TEST(RateTable, IsBoundedAlsoIfAllNamesAreInUse) {
  ManualClock clock;
  RateTable table(clock, 100);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(table.take("ada", kThreeAMinute).granted);
  int granted = 0;
  for (int i = 0; i < 10'000; ++i) granted += table.take(std::to_string(i), kThreeAMinute).granted;
  EXPECT_EQ(table.size(), 100u);
  EXPECT_EQ(granted, 99 + 3);
  EXPECT_FALSE(table.take("ada", kThreeAMinute).granted);
  clock.advance(seconds(61));
  EXPECT_TRUE(table.take("new", kThreeAMinute).granted);
  EXPECT_LE(table.size(), 2u);
}

}  // namespace
}  // namespace host
