#include "base/cancel.h"

#include <gtest/gtest.h>

namespace host {
namespace {

TEST(Cancel, RunsEachCallbackOnce) {
  Cancel cancel;
  int runs = 0;
  const auto registration = cancel.on_cancel([&] { ++runs; });
  cancel.request();
  cancel.request();
  EXPECT_TRUE(cancel.requested());
  EXPECT_EQ(runs, 1);
}

TEST(Cancel, SaysWhoseFirstWishItIs) {
  Cancel taken_back;
  taken_back.request();
  taken_back.request(Cancel::By::Operator);
  EXPECT_EQ(taken_back.by(), Cancel::By::Asker);
  Cancel ended;
  ended.request(Cancel::By::Operator);
  EXPECT_TRUE(ended.requested());
  EXPECT_EQ(ended.by(), Cancel::By::Operator);
}

TEST(Cancel, RunsALateCallbackAtOnce) {
  Cancel cancel;
  cancel.request();
  int runs = 0;
  const auto registration = cancel.on_cancel([&] { ++runs; });
  EXPECT_EQ(runs, 1);
}

TEST(Cancel, ForgetsACallbackWhoseRegistrationIsGone) {
  Cancel cancel;
  int runs = 0;
  {
    const auto registration = cancel.on_cancel([&] { ++runs; });
  }
  cancel.request();
  EXPECT_EQ(runs, 0);
}

TEST(Cancel, ARequestThatWasTakenBackCanBeMadeAgain) {
  Cancel cancel;
  int runs = 0;
  const auto registration = cancel.on_cancel([&] { ++runs; });
  cancel.request(Cancel::By::Stop);
  cancel.take_back();
  EXPECT_FALSE(cancel.requested());
  EXPECT_EQ(runs, 1);
  cancel.request();
  EXPECT_TRUE(cancel.requested());
  EXPECT_EQ(cancel.by(), Cancel::By::Asker);
  EXPECT_EQ(runs, 2);
}

TEST(Cancel, OutlivedByARegistrationDoesNoHarm) {
  Cancel::Registration registration;
  {
    Cancel cancel;
    registration = cancel.on_cancel([] {});
  }
  registration.reset();
}

TEST(Cancel, SurvivesACallbackThatDropsAnother) {
  Cancel cancel;
  Cancel::Registration second;
  const auto first = cancel.on_cancel([&] { second.reset(); });
  second = cancel.on_cancel([] {});
  cancel.request();
}

}  // namespace
}  // namespace host
