#include "cli/command/tool_arguments.h"

#include <gtest/gtest.h>

namespace host::cli {
namespace {

std::string written(const std::vector<std::string>& words) {
  const auto arguments = tool_arguments(words);
  return arguments ? json::write(arguments->root()) : arguments.error().message;
}

TEST(ToolArguments, AreAnObjectOrPairs) {
  EXPECT_EQ(written({}), "{}");
  EXPECT_EQ(written({R"({"a":[1]})"}), R"({"a":[1]})");
  EXPECT_EQ(written({"text=hi", "n=2", "on=true", "list=[1,2]", "eq=a=b"}),
            R"({"text":"hi","n":2,"on":true,"list":[1,2],"eq":"a=b"})");
}

TEST(ToolArguments, RefuseWhatIsNeither) {
  EXPECT_NE(written({"hello"}).find("neither"), std::string::npos);
  EXPECT_NE(written({"=x"}).find("neither"), std::string::npos);
  EXPECT_NE(written({"{\"a\":"}).find("line 1"), std::string::npos);
}

}  // namespace
}  // namespace host::cli
