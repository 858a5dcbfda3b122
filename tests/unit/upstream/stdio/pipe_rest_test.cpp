#include "upstream/stdio/pipe_rest.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/unique_fd.h"

namespace host::upstream {
namespace {

TEST(PipeRest, AWriterThatNeverEndsIsReadUpToAMost) {
  const UniqueFd endless(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  std::size_t read = 0;
  take_rest(endless.get(), 10'000, [&](std::string_view bytes) { read += bytes.size(); });
  EXPECT_EQ(read, 10'000u);
}

TEST(PipeRest, TheRestOfAPipeIsRead) {
  int pipes[2];
  ASSERT_EQ(::pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
  const UniqueFd out(pipes[0]);
  const UniqueFd in(pipes[1]);  // still open, as a survivor would have it
  ASSERT_EQ(::write(in.get(), "bye\n", 4), 4);
  std::string got;
  take_rest(out.get(), kMostOfTheRest, [&](std::string_view bytes) { got += bytes; });
  EXPECT_EQ(got, "bye\n");
}

TEST(PipeRest, OnlyOneWholeJsonTextIsAWholeLine) {
  for (const char* const whole :
       {R"({"id":1,"result":{"a":[1]}})", R"([{"id":1}])", R"( {"a":1} )"})
    EXPECT_TRUE(is_whole(whole)) << whole;
  for (const char* const cut :
       {"", " ", R"({"id":1,"result":{"a":[1])", R"({"id":1,"result":{})", R"([{"id":1},{"id":2})",
        R"({"text":"}")", R"({"text":"]")", R"({"a":1}})", R"({"a":1} {"b":2})", "words }"})
    EXPECT_FALSE(is_whole(cut)) << cut;
}

}  // namespace
}  // namespace host::upstream
