// New builds under way of calls: every call is answered, and the new text follows the swap.
#include <boost/asio/detached.hpp>

#include <fstream>

#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class Reloading : public PluginTest {
 protected:
  Reloading() {
    settings().isolation = GetParam();
    install("one");
  }
  bool serves(const std::string& words) {
    return run_until([&] { return text("version") == words; });
  }
};
INSTANTIATE_TEST_SUITE_P(Both, Reloading,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

TEST_P(Reloading, AnswersEveryCallWhileBuildsChange) {
  start();
  std::vector<Running> running;
  int answered = 0;
  int failed = 0;
  const auto collect = [&] {
    std::erase_if(running, [&](const Running& one) {
      if (!one.done()) return false;
      ++answered;
      if (!**one.answer) ++failed;
      return true;
    });
  };
  for (int round = 0; round < 6; ++round) {
    const std::string which = round % 2 == 0 ? "two" : "one";
    const std::uint32_t before = status().generation;
    install(which);
    ASSERT_TRUE(run_until([&] {
      collect();
      while (running.size() < 32)
        running.push_back(begin(answered % 2 == 0 ? "version" : "slow", R"({"ms":6})"));
      return status().generation == before + 1;
    })) << status().last_error;
    EXPECT_EQ(text("version"), which);
  }
  ASSERT_TRUE(run_until([&] {
    collect();
    return running.empty();
  }));
  EXPECT_GT(answered, 100);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(host_->zombies(), 0u);
}

TEST_P(Reloading, ACallInFlightEndsOnTheBuildThatBeganIt) {
  start();
  std::string serving = "one";
  std::string next = "two";
  for (int ms = 600; ms <= 40'000; ms *= 4) {  // a busy machine may load a build for longer
    const Running slow = begin("slow", R"({"ms":)" + std::to_string(ms) + "}");
    install(next);
    ASSERT_TRUE(serves(next));
    const bool was_in_flight = !slow.done();
    const Answer answer = finish(slow);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->content, R"({"type":"text","text":")" + serving + R"("})");
    if (was_in_flight) return;
    std::swap(serving, next);
  }
  FAIL() << "every call ended before the next build served";
}

TEST_P(Reloading, IsDoneWhenWhatAnEarlierLookLoadsIsDone) {
  look_only_when_asked();
  start();
  install("two");
  boost::asio::co_spawn(io_, host_->reload(), boost::asio::detached);
  await(host_->reload());
  EXPECT_EQ(text("version"), "two");
}

TEST_P(Reloading, TakesAFileCopiedOverInPlace) {
  start();
  std::ofstream(installed(), std::ios::binary | std::ios::trunc) << bytes_of("two");
  EXPECT_TRUE(serves("two"));
}

TEST_P(Reloading, TakesAFileDeletedAndMadeAgainWithoutAGap) {
  start();
  fs::remove(installed());
  EXPECT_EQ(text("version"), "one");
  fs::copy_file(animal("two"), installed());
  EXPECT_TRUE(serves("two"));
  EXPECT_EQ(status().history.size(), 2u);
}

TEST_P(Reloading, NeverLoadsHalfOfASlowlyWrittenFile) {
  start();
  const std::string bytes = bytes_of("two");
  std::ofstream file(installed(), std::ios::binary | std::ios::trunc);
  for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 5 + 1) {
    file << bytes.substr(at, bytes.size() / 5 + 1) << std::flush;
    run_for(80ms);  // longer than the debounce: each piece is looked at
    if (at + bytes.size() / 5 + 1 < bytes.size()) {
      EXPECT_EQ(text("version"), "one");
    }
  }
  file.close();
  EXPECT_TRUE(serves("two"));
  EXPECT_EQ(status().last_error, "");
}

TEST_P(Reloading, LoadsNothingThatIsStillOpenToBeWrittenAndLooksAgainOnceClosed) {
  start();
  std::ofstream file(installed(), std::ios::binary | std::ios::trunc);
  file << bytes_of("two") << std::flush;
  EXPECT_TRUE(waits_for_reason("open for writing"));
  EXPECT_EQ(text("version"), "one");
  file.close();  // changes nothing that stat() shows
  EXPECT_TRUE(serves("two"));
  EXPECT_EQ(status().last_error, "");
}

TEST_P(Reloading, IgnoresATouchedFile) {
  start();
  fs::last_write_time(installed(), fs::file_time_type::clock::now());
  run_for(200ms);
  // A busy machine may still read the file.
  EXPECT_TRUE(run_until([&] { return status().state == State::Active; }));
  EXPECT_EQ(status().generation, 1u);
  EXPECT_EQ(status().history.size(), 1u);
}

TEST_P(Reloading, RetiresAPluginWhoseFileIsGone) {
  start();
  fs::remove(installed());
  EXPECT_TRUE(run_until([&] { return !status().serving; }));
  EXPECT_EQ(status().state, State::Absent);
  EXPECT_EQ(catalog_.snapshot()->find("version"), nullptr);
  install("two");
  EXPECT_TRUE(serves("two"));
}

TEST_P(Reloading, ServesNothingWhoseFileIsRemovedWhileItLoads) {
  fs::remove(installed());
  start();
  install("starts_slowly");
  ASSERT_TRUE(run_until([&] { return status().state == State::Probing; }));
  fs::remove(installed());
  ASSERT_TRUE(run_until([&] { return status().state == State::Absent; }));
  await(host_->reload());
  EXPECT_FALSE(status().serving);
  EXPECT_EQ(status().state, State::Absent);
  EXPECT_EQ(catalog_.snapshot()->find("version"), nullptr);
  install("two");
  EXPECT_TRUE(serves("two"));
}

TEST_P(Reloading, FindsAPluginThatComesLaterAndAFolderThatComesLater) {
  const fs::path later = folder_ / "later";
  options_.plugins.dirs.push_back(later);
  options_.plugins.rescan = 50ms;
  options_.plugins.on_conflict = "namespace";
  start();
  fs::create_directory(later);
  fs::permissions(later, fs::perms::owner_all);
  fs::copy_file(animal("two"), later / "late.so");
  EXPECT_TRUE(run_until([&] { return status("late").serving; }));
  EXPECT_EQ(text("late_version"), "two");
}

// The order of the names decides who has a tool's name from the start on, and not speed.
TEST_P(Reloading, AtTheStartTheFirstByNameIsWaitedForHoweverLongItTakes) {
  options_.batch_patience = 1ms;
  settings("aaa").isolation = GetParam();
  install("starts_slowly", "aaa");
  start();
  EXPECT_EQ(text("version"), "slowly");
}

TEST_P(Reloading, UnloadsTheOldBuildWholeOnceItsWindowIsOver) {
  options_.plugins.supervision.rollback_window = 200ms;
  start();
  install("two");
  ASSERT_TRUE(serves("two"));
  const auto copies = [&] {
    std::size_t count = 0;
    std::error_code gone;  // the host removes what this walks over
    for (fs::recursive_directory_iterator at(folder_ / "cache", gone), end; !gone && at != end;
         at.increment(gone))
      count += at->path().extension() == ".so";
    return gone ? 0 : count;
  };
  EXPECT_TRUE(run_until([&] { return copies() == 1; }));
  EXPECT_EQ(host_->zombies(), 0u);
}

}  // namespace
}  // namespace host::plugin
