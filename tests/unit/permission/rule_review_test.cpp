#include "permission/decision/rule_review.h"

#include <gmock/gmock.h>

#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RuleReview, NamesARuleOfPlainTextThatOnceAllowedMore) {
  EXPECT_THAT(review_shell_rule(allow("shell", "touch")), HasSubstr("touch:*"));
  EXPECT_THAT(review_shell_rule(allow("shell", "file\\*.txt")), HasSubstr("alone"));
}

TEST(RuleReview, NamesARuleThatAllowsEveryProgram) {
  for (const std::string_view content : {"timeout 60:*", "env FOO=1:*",
                                         "xargs rm:*",   "find .:*",
                                         "sudo:*",       "sh -c *",
                                         "bash *",       "docker run:*",
                                         "npx *",        "make:*",
                                         "make test:*",  "git:*",
                                         "git pull:*",   "git push origin *",
                                         "git commit:*", "npm run:*",
                                         "npm * test",   "cargo build:*",
                                         "go test *",    "gcc:*",
                                         "git status:*", "git add:*"}) {
    EXPECT_THAT(review_shell_rule(allow("shell", std::string(content))),
                HasSubstr("allows every program"))
        << content;
  }
}

TEST(RuleReview, HasNothingToSayOfOthers) {
  EXPECT_THAT(review_shell_rule(allow("shell")), IsEmpty());
  EXPECT_THAT(review_shell_rule(allow("shell", "")), IsEmpty());
  EXPECT_THAT(review_shell_rule(allow("shell", "git status")), IsEmpty()) << "as suggested";
  EXPECT_THAT(review_shell_rule(allow("shell", "make test")), IsEmpty()) << "as suggested";
  EXPECT_THAT(review_shell_rule(allow("shell", "docker build:*")), IsEmpty());
  EXPECT_THAT(review_shell_rule(deny("shell", "curl")), IsEmpty());
  EXPECT_THAT(review_shell_rule(ask("shell", "sudo:*")), IsEmpty());
}

TEST(PathPatternReview, SaysWhyNoPathCanMatch) {
  for (const char* const good : {"/etc/**", "secret/*", "~/.ssh/**", "*.pem", "/", "a[.]b", "**"})
    EXPECT_EQ(review_path_pattern(good), "") << good;
  for (const char* const bad : {"/etc/", "/etc//passwd", "./secret/*", "a/../b", "/a/.", " /etc/**",
                                "/etc/** ", "file:///etc/**", "https://x/y", "$HOME/.ssh/**"})
    EXPECT_NE(review_path_pattern(bad), "") << bad;
}

}  // namespace
}  // namespace host::permission::test
