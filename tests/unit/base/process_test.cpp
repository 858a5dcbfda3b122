#include "base/process.h"

#include <gtest/gtest.h>
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
}

}  // namespace
}  // namespace host
