// What a plugin tells of itself, from its start on.
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

}  // namespace
}  // namespace host::plugin
