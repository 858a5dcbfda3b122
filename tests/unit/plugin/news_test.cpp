// What a plugin tells of itself, from its start on, and workers that tell or ask too much.
#include "sandbox/sanitized.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class NewsOfPlugin : public PluginTest {};
INSTANTIATE_TEST_SUITE_P(Both, NewsOfPlugin,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

TEST_P(NewsOfPlugin, ThatIsToldWhileItStartsIsFollowedByWhatItTellsLater) {
  settings().isolation = GetParam();
  install("announces");
  start();
  ASSERT_TRUE(status().serving) << status().last_error;
  EXPECT_EQ(catalog_.snapshot()->find("fail"), nullptr);
  EXPECT_EQ(text("version"), "one");
  EXPECT_TRUE(run_until([&] { return catalog_.snapshot()->find("fail") != nullptr; }, 5s));
}

TEST_F(PluginTest, AWorkerThatTellsMoreNewsThanIsAwaitedIsEnded) {
  install("forges");
  start();
  const Running forging = begin("version");
  EXPECT_TRUE(run_until(
      [&] { return status().last_crash.find("news before its time") != std::string::npos; }, 5s))
      << status().last_crash;
}

TEST_F(PluginTest, AWorkerThatAsksWithoutEndAndReadsNoAnswerIsEnded) {
  if (sandbox::kSanitizer) GTEST_SKIP() << "a million requests take too long";
  options_.ping_every = 1h;  // it is not for its silence
  install("asks");
  start();
  const Running asking = begin("version");
  EXPECT_TRUE(run_until(
      [&] { return status().last_crash.find("does not read") != std::string::npos; }, 30s))
      << status().last_crash;
}

}  // namespace
}  // namespace host::plugin
