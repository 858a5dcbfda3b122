// Builds that must not serve: each is refused with its reason, while what served before goes on.
#include <random>

#include "sandbox/sanitized.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

constexpr int kMutations = sandbox::kSanitizer ? 60 : 300;  // each starts processes
#ifdef __SANITIZE_THREAD__  // changes the status of an exit within dlopen()
constexpr const char* kExit = "exited with status";
#else
constexpr const char* kExit = "exited with status 0";
#endif

class BadBuild : public PluginTest {
 protected:
  BadBuild() {
    settings().isolation = GetParam();
    install("one");
  }
  void expect_refused(const std::string& which, const std::string& words) {
    install(which);
    EXPECT_TRUE(waits_for_reason(words)) << which << ": " << status().last_error;
    expect_old_serves();
  }
  void expect_old_serves() {
    EXPECT_EQ(status().state, State::Rejected);
    EXPECT_EQ(status().generation, 1u);
    EXPECT_EQ(text("version"), "one");
  }
};
INSTANTIATE_TEST_SUITE_P(Both, BadBuild,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

TEST_P(BadBuild, OfAnotherAbiIsRefused) {
  start();
  expect_refused("abi_2", "ABI major 2");
  expect_refused("symbol_v2", "ABI major 2");
  expect_refused("no_symbol", "exports no toolpost_plugin_v1");
  expect_refused("needs_extension", "tp.wings/1");
}

TEST_P(BadBuild, ThatDiesAtLoadIsRefusedAndTheHostLives) {
  start();
  expect_refused("crashes_at_load", "signal 6");
  expect_refused("exits_at_load", kExit);
}

TEST_P(BadBuild, ThatHangsAtLoadIsRefusedAndTheHostLives) {
  options_.plugins.probe_timeout = 5s;
  start();
  expect_refused("hangs_at_load", "within 5000 ms");
}

TEST_P(BadBuild, WithABadDescriptorIsRefused) {
  start();
  expect_refused("bad_name", "is no tool's name");
  expect_refused("same_name", "two tools");
  expect_refused("upstream_name", "mcp_");
  expect_refused("both_strict", "STRICT");
  expect_refused("missing_function", "check_permissions");
}

TEST_P(BadBuild, WhoseOffersAreMalformedIsRefused) {
  start();
  expect_refused("nameless_resource",
                 "bad list of resources: \"a:b\": \"name\" is missing or empty");
  expect_refused("empty_prompts", "its table of tp.prompts/1 lacks a function");
}

TEST_P(BadBuild, ThatRefusesItselfSaysWhy) {
  start();
  expect_refused("create_fails", "the setting \"folder\" is missing");
  expect_refused("selftest_fails", "the tables do not add up");
}

TEST_P(BadBuild, WhoseSettingsDoNotFitIsRefusedBeforeItIsMade) {
  settings().settings = R"({"count":"many","size":2})";
  start();
  expect_refused("settings_schema",
                 "correct [plugin.zoo.settings]: /count: expected integer, got string \"many\" "
                 "(rule /properties/count/type); ");
  EXPECT_NE(status().last_error.find("size"), std::string::npos) << status().last_error;
  expect_refused("settings_schema_first", "the value: no value is allowed here");
}

TEST_P(BadBuild, WithAnUnusableSettingsSchemaIsRefused) {
  start();
  expect_refused("settings_schema_broken", "its config_schema cannot be used: schema: line 1");
  expect_refused("settings_schema_null", "its config_schema has a length and no bytes");
}

TEST_P(BadBuild, IsNoneWhereTheSettingsFitOrTheDescriptorIsOlder) {
  settings().settings = R"({"count":9})";
  start();
  install("settings_schema");
  EXPECT_TRUE(run_until([&] { return status().generation == 2; })) << status().last_error;
  EXPECT_EQ(text("version"), "settings");
  install("old_descriptor");
  EXPECT_TRUE(run_until([&] { return status().generation == 3; })) << status().last_error;
  EXPECT_EQ(text("version"), "old");
}

TEST_P(BadBuild, CutShortIsRefusedAtEveryPercent) {
  look_only_when_asked();
  start();
  const std::string whole = bytes_of("two");
  for (std::size_t percent = 0; percent < 100; ++percent) {
    write(whole.substr(0, whole.size() * percent / 100));
    await(host_->reload());
    const std::string why = status().last_error;
    EXPECT_NE(why.find(percent == 0 ? "is empty" : "short"), std::string::npos)
        << percent << ": " << why;
    expect_old_serves();
  }
  write(whole);
  await(host_->reload());
  EXPECT_EQ(text("version"), "two");
}

// A build with some bytes changed may be as good as before, or so broken that its process dies: it
// is refused and the old one serves, or it serves and what it answers is told.
TEST_F(PluginTest, WithFourBytesChangedIsRefusedOrServesAndTheHostLives) {
  look_only_when_asked();
  options_.plugins.supervision.rollback_window = 0ms;
  options_.plugins.probe_timeout = 5s;  // some of them hang
  install("one");
  start();
  const std::string whole = bytes_of("two");
  constexpr std::size_t kHeaders = 6u << 10u;  // and tables: what the loader reads
  std::mt19937 random(1);
  int refused = 0;
  int died = 0;
  for (int round = 0; round < kMutations; ++round) {
    std::string mutated = whole;
    const std::size_t within = round % 2 == 0 ? kHeaders : whole.size();
    for (int i = 0; i < 4; ++i) mutated[random() % within] = static_cast<char>(random());
    const std::uint32_t before = status().generation;
    write(mutated);
    await(host_->reload());
    if (status().generation == before) {
      ++refused;
      EXPECT_EQ(status().state, State::Rejected) << round;
      EXPECT_FALSE(status().last_error.empty()) << round;
    } else {
      const Answer answer = call("version");
      died += !answer && answer.error().kind == ErrorKind::PluginFault;
      EXPECT_TRUE(answer || !answer.error().message.empty()) << round;
      install("one");
      await(host_->reload());
    }
    ASSERT_EQ(text("version"), "one") << round << ": " << status().last_error;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, kMutations);
  RecordProperty("refused", refused);
  RecordProperty("died_when_called", died);
}

TEST_P(BadBuild, ForAnotherMachineIsRefused) {
  start();
  std::string bytes = bytes_of("two");
  bytes[18] = static_cast<char>(0xb7);  // e_machine: AArch64
  bytes[19] = 0;
  write(bytes);
  EXPECT_TRUE(waits_for_reason("another machine"));
  expect_old_serves();
}

TEST_P(BadBuild, OfZeroesBehindItsHeadersIsRefused) {
  start();
  std::string bytes = bytes_of("two");
  std::fill(bytes.begin() + 0x200, bytes.end(), '\0');
  write(bytes);
  EXPECT_TRUE(run_until([&] { return status().state == State::Rejected; }));
  EXPECT_FALSE(status().last_error.empty());
  expect_old_serves();
}

TEST_P(BadBuild, IsFollowedByAGoodOneThatServes) {
  start();
  expect_refused("crashes_at_load", "signal 6");
  install("two");
  EXPECT_TRUE(run_until([&] { return status().generation == 2; }));
  EXPECT_EQ(text("version"), "two");
  const auto history = status().history;
  ASSERT_EQ(history.size(), 3u);
  EXPECT_FALSE(history[1].accepted);
  EXPECT_NE(history[1].reason.find("signal 6"), std::string::npos);
}

// For want of room, of descriptors or of processes: nothing of the file changes when that is over.
TEST_P(BadBuild, IsNoneWhereTheHostCouldNotLookAtItAndItIsLookedAtAgain) {
  options_.plugins.rescan = 100ms;
  start();
  const fs::path cache = fs::directory_iterator(folder_ / "cache")->path();
  fs::rename(cache, folder_ / "away");
  install("two");
  EXPECT_TRUE(waits_for_reason("cannot make"));
  expect_old_serves();
  run_for(400ms);
  EXPECT_LE(status().history.size(), 2u) << "each new try is told of";
  fs::rename(folder_ / "away", cache);
  EXPECT_TRUE(run_until([&] { return status().generation == 2; })) << status().last_error;
  EXPECT_EQ(text("version"), "two");
}

TEST_P(BadBuild, ThatOthersMayWriteIsRefused) {
  fs::permissions(installed(), fs::perms::others_write, fs::perm_options::add);
  start();
  EXPECT_NE(status().last_error.find("chmod go-w"), std::string::npos) << status().last_error;
  EXPECT_FALSE(status().serving);
}

TEST_P(BadBuild, WithTheNameOfAnotherPluginsToolLosesThatToolAlone) {
  install("two", "aaa");
  settings("aaa").isolation = GetParam();
  start();
  const auto total = status("aaa").refusals.size() + status("zoo").refusals.size();
  EXPECT_EQ(total, 12u);
}

TEST_P(BadBuild, OnConflictItsToolsMayBeRenamed) {
  options_.plugins.on_conflict = "namespace";
  start();
  install("two", "other");
  EXPECT_TRUE(run_until([&] { return status("other").serving; }));
  EXPECT_EQ(text("other_version"), "two");
  EXPECT_EQ(text("version"), "one");
}

TEST_P(BadBuild, OnConflictOneOfTwoThatLoadAtOnceIsRenamed) {
  options_.plugins.on_conflict = "namespace";
  install("two", "other");
  start();
  const bool other_renamed = catalog_.snapshot()->find("other_version") != nullptr;
  EXPECT_NE(other_renamed, catalog_.snapshot()->find("zoo_version") != nullptr);
  EXPECT_EQ(catalog_.snapshot()->entries().size(), 24u);
}

TEST_P(BadBuild, ASecondFileOfTheSameNameIsRefused) {
  const fs::path second = folder_ / "second";
  fs::create_directory(second);
  fs::copy_file(animal("two"), second / "zoo.so");
  options_.plugins.dirs.push_back(second);
  start();
  EXPECT_EQ(text("version"), "one");
  ASSERT_EQ(status().refusals.size(), 1u);
  EXPECT_NE(status().refusals[0].reason.find("already loaded"), std::string::npos);
}

TEST_F(PluginTest, ThatNeedsTheHostsProcessIsRefusedInAWorker) {
  install("needs_inline");
  start();
  EXPECT_NE(status().last_error.find("isolation = \"inline\""), std::string::npos)
      << status().last_error;
}

}  // namespace
}  // namespace host::plugin
