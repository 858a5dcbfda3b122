#include "plugin/lifecycle/logged_refusals.h"

#include <gtest/gtest.h>

namespace host::plugin {
namespace {

std::vector<tool::Refusal> refusals_of(std::size_t first, std::size_t count) {
  std::vector<tool::Refusal> out;
  for (std::size_t i = first; i < first + count; ++i)
    out.push_back({"tool" + std::to_string(i), "the name is taken"});
  return out;
}

// A plugin may switch a tool off and on for ever.
TEST(LoggedRefusals, TellsEachRefusalOnceForABuild) {
  LoggedRefusals logged;
  EXPECT_EQ(logged.take(refusals_of(0, 3)).size(), 3u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(logged.take(refusals_of(0, 2)).empty());
    EXPECT_TRUE(logged.take(refusals_of(0, 3)).empty());
  }
  const auto fresh = logged.take({{"tool1", "the name is taken"}, {"tool1", "another reason"}});
  ASSERT_EQ(fresh.size(), 1u);
  EXPECT_EQ(fresh[0].reason, "another reason");
  logged.begin();
  EXPECT_EQ(logged.take(refusals_of(0, 3)).size(), 3u);
}

// Or offer resources with ever new names.
TEST(LoggedRefusals, TellsALimitedNumber) {
  LoggedRefusals logged;
  std::size_t told = 0;
  for (std::size_t i = 0; i < 30; ++i) told += logged.take(refusals_of(100 * i, 100)).size();
  EXPECT_EQ(told, LoggedRefusals::kMost);
}

}  // namespace
}  // namespace host::plugin
