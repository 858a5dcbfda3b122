// What a plugin tells of itself, from its start on, and workers that tell or ask too much.
#include <signal.h>

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

TEST_F(PluginTest, WhatAPluginTellsWhileItStartsHoldsAfterACrashToo) {
  install("announces");
  start();
  EXPECT_EQ(catalog_.snapshot()->find("fail"), nullptr);
  for (int crash = 0; crash < 2; ++crash) {
    const pid_t pid = status().pid;
    ::kill(pid, SIGKILL);
    ASSERT_TRUE(run_until([&] { return status().pid != pid; }));
    EXPECT_EQ(text("tell"), "told");
    run_for(300ms);
    EXPECT_EQ(catalog_.snapshot()->find("fail"), nullptr);
  }
  EXPECT_EQ(text("version"), "one");
  EXPECT_TRUE(run_until([&] { return catalog_.snapshot()->find("fail") != nullptr; }));
}

TEST_F(PluginTest, WhatAPluginTellsBeforeItsBatchIsPublishedIsFollowed) {
  options_.batch_patience = 20s;
  options_.plugins.on_conflict = "namespace";
  install("changes", "a");
  install("starts_slowly", "b");
  start();
  const auto lists = [&](const char* uri) {
    return catalog_.snapshot()->offers().resource(uri) != nullptr;
  };
  EXPECT_TRUE(run_until([&] { return lists("then:b"); }));
  EXPECT_FALSE(lists("first:a"));
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
