#include <malloc.h>

#include <gmock/gmock.h>

#include "unit/plugins/plugin_test.h"

namespace {

using testing::HasSubstr;

std::string time_in(fake::Plugin& clock, const std::string& zone) {
  return told(clock, "get_current_time", R"({"timezone":)" + json_text(zone) + "}");
}

TEST(Clock, TellsTheTimeInAZone) {
  fake::Plugin clock(library("clock"), "{}");
  EXPECT_THAT(time_in(clock, "UTC"), HasSubstr(R"("utc_offset":"+00:00")"));
  EXPECT_THAT(time_in(clock, "Asia/Tokyo"), HasSubstr(R"("utc_offset":"+09:00")"));
}

TEST(Clock, RefusesWhatIsNoNameOfAZone) {
  fake::Plugin clock(library("clock"), "{}");
  for (const char* zone : {"", "Nowhere/X", "Asia", "Asia/", "Asia//Tokyo", "/Asia/Tokyo",
                           "../zoneinfo/Asia/Tokyo", "file:Asia/Tokyo"})
    EXPECT_THAT(time_in(clock, zone), HasSubstr("unknown time zone")) << zone;
}

TEST(Clock, AnUnknownNameLeavesNothingInMemory) {
  constexpr int kNames = 5'000;
  fake::Plugin clock(library("clock"), "{}");
  time_in(clock, "Nowhere/X");
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < kNames; ++i)
    time_in(clock, "Nowhere/a_name_with_as_many_letters_as_a_name_may_have" + std::to_string(i));
  EXPECT_LT(::mallinfo2().uordblks, before + kNames * 20);
}

}  // namespace
