// Side files while a plugin serves: they apply, a refused one changes nothing, and no earlier build
// comes back past one.
#include <algorithm>

#include "plugin/lifecycle/side_file.h"
#include "plugin_fixture.h"
#include "unit/plugin/gate.h"

namespace host::plugin {
namespace {

class SideFiles : public PluginTest {
 protected:
  SideFiles() { install("one"); }

  void side(const std::string& text) {
    std::ofstream(plugins_ / ".side") << text;
    fs::permissions(plugins_ / ".side", fs::perms::owner_read | fs::perms::owner_write);
    fs::rename(plugins_ / ".side", plugins_ / "zoo.toml");
  }
  bool offers(const std::string& tool) { return catalog_.snapshot()->find(tool) != nullptr; }
};

TEST_F(SideFiles, ApplyWhileThePluginServesAndARefusedOneKeepsTheOld) {
  start();
  EXPECT_TRUE(offers("slow"));
  side("[tool.slow]\nenabled = false");
  ASSERT_TRUE(run_until([&] { return !offers("slow"); }));
  EXPECT_EQ(status().generation, 2u);
  EXPECT_EQ(status().side_keys, std::vector<std::string>{"tool.slow.enabled"});
  side("exec = true");
  ASSERT_TRUE(waits_for_reason("error[C023]: exec would grant"));
  EXPECT_EQ(status().state, State::Rejected);
  EXPECT_FALSE(offers("slow"));
  EXPECT_EQ(text("version"), "one");
  install("two");  // the library is good, the side file is not
  ASSERT_TRUE(run_until([&] { return status().history.size() >= 4; }));
  EXPECT_EQ(text("version"), "one");
  fs::remove(plugins_ / "zoo.toml");
  ASSERT_TRUE(run_until([&] { return offers("slow"); }));
  EXPECT_EQ(text("version"), "two");
  EXPECT_EQ(status().last_error, "");
  EXPECT_TRUE(status().side_file.empty());
}

TEST_F(SideFiles, TheSameTextAgainIsNoChange) {
  side("timeout_s = 5");
  start();
  EXPECT_EQ(status().generation, 1u);
  look_only_when_asked();
  side("timeout_s = 5");
  await(host_->reload());
  EXPECT_EQ(status().generation, 1u);
}

// The operator changes them, and the plugin did no wrong.
TEST_F(SideFiles, ThatEndALongCallBlameNobodyForIt) {
  options_.plugins.drain_timeout = 50ms;
  options_.plugins.supervision.poison_crashes = 1;
  start();
  for (int round = 1; round <= 2; ++round) {
    Running until = begin("until", gate_in(folder_));
    until.provider.reset();  // the build may retire
    run_for(50ms);
    side("timeout_s = " + std::to_string(round));
    const Answer lost = finish(until);
    ASSERT_FALSE(lost);
    EXPECT_NE(lost.error().message.find("drain timeout"), std::string::npos)
        << lost.error().message;
  }
  EXPECT_EQ(status().crashes, 0u);
  open_gate(folder_);
  EXPECT_EQ(text("until", gate_in(folder_)), "one");
}

TEST_F(SideFiles, DisableAPluginAndLetItComeBack) {
  start();
  side("enabled = false");
  ASSERT_TRUE(run_until([&] { return status().state == State::Disabled; }));
  EXPECT_FALSE(offers("version"));
  fs::remove(plugins_ / "zoo.toml");
  ASSERT_TRUE(run_until([&] { return offers("version"); }));
}

TEST_F(SideFiles, HoldWhileTheyAreDeletedAndWrittenAgain) {
  options_.plugins.retire_grace = 5s;
  side("[tool.slow]\nenabled = false");
  start();
  fs::remove(plugins_ / "zoo.toml");
  install("two");  // so that a load begins
  run_for(300ms);
  EXPECT_FALSE(offers("slow"));
  side("[tool.slow]\nenabled = false");
  ASSERT_TRUE(run_until([&] { return text("version") == "two"; }));
  EXPECT_FALSE(offers("slow"));
}

TEST_F(SideFiles, ApplyToTheServingBuildIfTheLibraryBesideThemIsRefused) {
  start();
  write("no library");
  ASSERT_TRUE(run_until([&] { return !status().last_error.empty(); }));
  EXPECT_TRUE(offers("slow"));
  side("[tool.slow]\nenabled = false");
  ASSERT_TRUE(run_until([&] { return !offers("slow"); }));
  EXPECT_EQ(text("version"), "one");
  ASSERT_TRUE(run_until([&] { return status().state == State::Rejected; }));
  EXPECT_NE(status().last_error, "");
}

TEST_F(SideFiles, AreNotReadWhileSomebodyWritesThem) {
  std::ofstream writer(plugins_ / "zoo.toml");
  fs::permissions(plugins_ / "zoo.toml", fs::perms::owner_read | fs::perms::owner_write);
  writer << "[tool.slow]\nenabled = true\n" << std::flush;
  const auto early = load_side_file(installed());
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().kind, ErrorKind::Unavailable);
  writer.close();
  const auto settled = load_side_file(installed());
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_EQ((*settled)->keys(), std::vector<std::string>{"tool.slow.enabled"});
}

// The second folder may grant what the first may not, and the load of the first is under way.
TEST_F(SideFiles, OfOneFolderNeverApplyToTheLibraryOfAnother) {
  options_.plugins.debounce = 200ms;  // 20 times as long, the load waits for the side file
  const fs::path trusted = folder_ / "trusted";
  fs::create_directory(trusted);
  fs::permissions(trusted, fs::perms::owner_all);
  options_.plugins.dirs.insert(options_.plugins.dirs.begin(), trusted);
  options_.plugins.trusted_dirs = {trusted};
  start();
  std::ofstream side(plugins_ / "zoo.toml");
  side << "exec = true\n" << std::flush;
  ASSERT_TRUE(run_until([&] { return status().state == State::Staging; }));
  fs::copy_file(animal("two"), trusted / ".new");
  fs::rename(trusted / ".new", trusted / "zoo.so");
  ASSERT_TRUE(run_until([&] { return status().path == trusted / "zoo.so"; }));
  side.close();
  // Looked at after each step: the load after this one would mend it.
  ASSERT_TRUE(run_until([&] { return status().version == "two"; }));
  EXPECT_EQ(status().side_file, "");
}

TEST_F(SideFiles, NoBuildComesBackThatServedUnderAnotherOne) {
  start();
  install("faults");
  ASSERT_TRUE(run_until([&] { return status().version == "faults"; }));
  side("[tool.reader]\nenabled = false");
  ASSERT_TRUE(run_until([&] { return !offers("reader"); }));
  EXPECT_FALSE(call("fault_segv"));
  ASSERT_TRUE(run_until([&] { return status().crashes == 1; }));
  run_for(200ms);
  EXPECT_EQ(status().version, "faults");
  EXPECT_FALSE(offers("reader"));
  EXPECT_EQ(status().last_error, "");
}

TEST_F(SideFiles, ABuildThatWasRolledBackIsTriedAgainWithANewOne) {
  start();
  install("faults");
  ASSERT_TRUE(run_until([&] { return status().version == "faults"; }));
  EXPECT_FALSE(call("fault_segv"));
  ASSERT_TRUE(run_until([&] { return text("version") == "one"; }));
  side("[tool.fault_segv]\nenabled = false");
  ASSERT_TRUE(run_until([&] { return status().version == "faults"; }));
  EXPECT_FALSE(offers("fault_segv"));
}

}  // namespace
}  // namespace host::plugin
