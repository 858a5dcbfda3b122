// Changes that the kernel tells nothing of, or tells where nobody listens: the right build serves
// all the same. No look comes by itself, but where the test says so.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class MissedEvents : public PluginTest {
 protected:
  MissedEvents() {
    settings().isolation = config::Isolation::Inline;
    options_.plugins.rescan = 1h;
    install("one");
  }
  bool serves(const std::string& words) {
    return run_until([&] { return text("version") == words; }, 5s);
  }
};

TEST_F(MissedEvents, OfAQueueThatOverflowedAreMadeUpForByALook) {
  start();
  run_for(100ms);
  std::ifstream limit("/proc/sys/fs/inotify/max_queued_events");
  int most = 0;
  limit >> most;
  ASSERT_GT(most, 0);
  if (most > 1'000'000) GTEST_SKIP() << "the queue holds " << most << " events";
  // Of two files in turn: the same event twice in a row would be one.
  std::ofstream(plugins_ / "x");
  std::ofstream(plugins_ / "y");
  for (int i = 0; i < most + 16; ++i) ::chmod((plugins_ / (i % 2 == 0 ? "x" : "y")).c_str(), 0600);
  install("two");
  EXPECT_TRUE(serves("two"));
}

// As a network file system: the descriptor of the events is one that tells of none.
TEST_F(MissedEvents, OfAFolderThatTellsNoneAreSeenByALookFromTimeToTime) {
  options_.plugins.rescan = 200ms;
  start();
  int replaced = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (fs::read_symlink(entry.path(), error) != "anon_inode:inotify") continue;
    const int silent = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ASSERT_GE(::dup3(silent, std::atoi(entry.path().filename().c_str()), O_CLOEXEC), 0);
    ::close(silent);
    ++replaced;
  }
  ASSERT_EQ(replaced, 1);
  install("two");
  EXPECT_TRUE(serves("two"));
  fs::remove(installed());
  EXPECT_TRUE(run_until([&] { return !status().serving; }));
}

TEST_F(MissedEvents, OfAFolderThatWasDeletedAndMadeAgainAreNone) {
  options_.plugins.retire_grace = 1s;
  start();
  fs::remove_all(plugins_);
  run_for(100ms);
  fs::create_directory(plugins_);
  install("two");
  EXPECT_TRUE(serves("two"));
  EXPECT_EQ(status().generation, 2u);
  install("one");  // it is watched as the first was
  EXPECT_TRUE(serves("one"));
}

TEST_F(MissedEvents, OfAFolderThatDoesNotExistYetAreNone) {
  options_.plugins.dirs = {folder_ / "share/toolpost/plugins"};
  start();
  fs::create_directories(folder_ / "share/toolpost");
  run_for(100ms);
  fs::create_directory(folder_ / "share/toolpost/plugins");
  fs::permissions(folder_ / "share/toolpost/plugins", fs::perms::owner_all);
  plugins_ = folder_ / "share/toolpost/plugins";
  install("one");
  EXPECT_TRUE(serves("one"));
  install("two");
  EXPECT_TRUE(serves("two"));
}

TEST_F(MissedEvents, OfAFolderThatIsAnotherNowAreNone) {
  const fs::path current = folder_ / "current";
  const fs::path next = folder_ / "next";
  fs::create_directory(next);
  fs::create_directory_symlink(plugins_, current);
  options_.plugins.dirs = {current};
  start();
  run_for(100ms);
  fs::copy_file(animal("two"), next / "zoo.so");
  fs::create_directory_symlink(next, folder_ / "link");
  fs::rename(folder_ / "link", current);  // nothing is told of it
  await(host_->reload());
  EXPECT_EQ(text("version"), "two");
  run_for(100ms);
  fs::copy_file(animal("one"), next / ".new");
  fs::rename(next / ".new", next / "zoo.so");
  EXPECT_TRUE(serves("one"));
}

// No descriptor is left: no folder can be read, which says nothing of what is in it.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(MissedEvents, AreNoneWhileTheFolderCannotBeRead) {
  options_.plugins.rescan = 50ms;
  options_.plugins.dirs = {plugins_ / ""};  // as a command line may give it
  start();
  {
    const NoDescriptors none;
    run_for(600ms);
    EXPECT_TRUE(status().serving);
    EXPECT_EQ(text("version"), "one");
  }
  run_for(300ms);
  EXPECT_EQ(status().generation, 1u);
  fs::remove(installed());
  EXPECT_TRUE(run_until([&] { return !status().serving; }));
}

TEST_F(MissedEvents, OfTheFileThatALinkLeadsToAreNone) {
  const fs::path built = folder_ / "built";
  fs::create_directory(built);
  fs::copy_file(animal("one"), built / "library");
  fs::remove(installed());
  fs::create_symlink(built / "library", installed());
  start();
  ASSERT_EQ(text("version"), "one");
  run_for(100ms);
  fs::copy_file(animal("two"), built / ".new");
  fs::rename(built / ".new", built / "library");
  EXPECT_TRUE(serves("two"));
  fs::copy_file(animal("one"), built / "library", fs::copy_options::overwrite_existing);
  EXPECT_TRUE(serves("one"));
}

}  // namespace
}  // namespace host::plugin
