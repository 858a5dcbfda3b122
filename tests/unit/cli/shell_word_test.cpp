#include "cli/output/shell_word.h"

#include <gtest/gtest.h>

namespace host::cli {
namespace {

TEST(ShellWord, IsInQuotesUnlessTheShellLeavesItAsItIs) {
  EXPECT_EQ(shell_word("/usr/bin/tool-post_1.2:3@x+,"), "/usr/bin/tool-post_1.2:3@x+,");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("/home/My Files"), "'/home/My Files'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  for (const char* const word : {"a;b", "$HOME", "~", "a*", "#a", "a=b", "a\nb"})
    EXPECT_EQ(shell_word(word), "'" + std::string(word) + "'");
}

}  // namespace
}  // namespace host::cli
