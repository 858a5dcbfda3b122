#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace host {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{ErrorKind::InvalidArgument, "odd"};
  return number / 2;
}

Result<int> quarter(int number) {
  HOST_TRY_ASSIGN(const int once, half(number));
  HOST_TRY_ASSIGN(const int twice, half(once));
  return twice;
}

Result<void> even(int number) {
  HOST_TRY(half(number));
  return {};
}

TEST(Result, HoldsEitherAValueOrAnError) {
  EXPECT_EQ(*half(4), 2);
  EXPECT_EQ(half(3).error().kind, ErrorKind::InvalidArgument);
  EXPECT_FALSE(half(3));
}

TEST(Result, LetsTheFirstErrorLeaveTheFunction) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_TRUE(even(2));
  EXPECT_FALSE(even(1));
}

TEST(Result, CarriesWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = *std::move(made);
  EXPECT_EQ(*taken, 7);
}

TEST(Error, GainsContextOnTheWayUp) {
  EXPECT_EQ((Error{ErrorKind::Io, "disk full"}).within("plugin \"kv\"").message,
            "plugin \"kv\": disk full");
}

}  // namespace
}  // namespace host
