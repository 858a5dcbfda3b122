#include "base/process/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace host {
namespace {

TEST(OpenFiles, AreAllThatTheHostMayHaveAndForProgramsAsManyAsBefore) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{256, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(open_files_of_programs(), 0u);
  for (int i = 0; i < 2; ++i) {
    raise_open_files();
    rlimit now{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &now), 0);
    EXPECT_EQ(now.rlim_cur, before.rlim_max);
    EXPECT_EQ(now.rlim_max, before.rlim_max);
    EXPECT_EQ(open_files_of_programs(), 256u);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace host
