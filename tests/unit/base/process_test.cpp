#include "base/process/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace host {
namespace {

TEST(Process, IsMarkedAsLongAsItRuns) {
  const std::string mine = mark_of_process(::getpid());
  EXPECT_FALSE(mine.empty());
  EXPECT_EQ(mark_of_process(::getpid()), mine);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED), 0);
  EXPECT_EQ(mark_of_process(child), "");
  EXPECT_TRUE(has_ended(child, mine));
  EXPECT_FALSE(has_ended(::getpid(), mine));
}

TEST(Process, IsStoppedUntilItGoesOn) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (;;) ::pause();
  }
  const std::string mark = mark_of_process(child);
  const auto await = [child](int options) {
    siginfo_t change{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &change, options), 0);
  };
  EXPECT_FALSE(is_stopped(child, mark));
  ::kill(child, SIGSTOP);
  await(WSTOPPED);
  EXPECT_TRUE(is_stopped(child, mark));
  EXPECT_FALSE(is_stopped(child, mark + "0"));  // another process with this pid
  ::kill(child, SIGCONT);
  await(WCONTINUED);
  EXPECT_FALSE(is_stopped(child, mark));
  ::kill(child, SIGKILL);
  await(WEXITED);
  EXPECT_FALSE(is_stopped(child, mark));
}

TEST(Process, OfAnotherPidNamespaceIsNotJudged) {
  const std::string mine = mark_of_process(::getpid());
  const std::size_t boot_end = mine.find('/');
  const std::size_t start = mine.rfind('/');
  ASSERT_GT(start, boot_end) << mine;
  EXPECT_TRUE(has_ended(::getpid(), mine + "0"));  // another process with this pid
  const std::string boot = mine.substr(0, boot_end);
  EXPECT_FALSE(has_ended(::getpid(), boot + "/pid:[1]" + mine.substr(start)));
  EXPECT_TRUE(has_ended(::getpid(), "another-boot/pid:[1]" + mine.substr(start)));
  EXPECT_TRUE(has_ended(::getpid(), boot + mine.substr(start)));  // an older host's mark
}

}  // namespace
}  // namespace host
