#include "base/clock.h"

#include <gtest/gtest.h>

namespace host {
namespace {

TEST(Clock, WritesWallTimeAsRfc3339InUtc) {
  EXPECT_EQ(to_rfc3339(WallTime{}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(WallTime{std::chrono::milliseconds(1785230445678)}),
            "2026-07-28T09:20:45.678Z");
  EXPECT_EQ(to_rfc3339(WallTime{std::chrono::milliseconds(-1)}), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace host
