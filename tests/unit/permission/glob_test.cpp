#include "permission/path/glob.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "support/cpu_time.h"

namespace host::permission {
namespace {

TEST(Glob, MatchesStarsAcrossSlashes) {
  EXPECT_TRUE(glob_match("src/*", "src/a/b.c"));
  EXPECT_TRUE(glob_match("**", "anything/at all"));
  EXPECT_TRUE(glob_match("*.md", "docs/a.md"));
  EXPECT_FALSE(glob_match("src/*", "source/a"));
  EXPECT_TRUE(glob_match("a*b*c", "axxbyyc"));
  EXPECT_FALSE(glob_match("a*b*c", "axxbyyd"));
}

TEST(Glob, MatchesSetsSingleCharactersAndEscapes) {
  EXPECT_TRUE(glob_match("[a-c]?", "bz"));
  EXPECT_FALSE(glob_match("[!a-c]?", "bz"));
  EXPECT_TRUE(glob_match("[]x]", "]"));
  EXPECT_TRUE(glob_match("\\*x", "*x"));
  EXPECT_FALSE(glob_match("\\*x", "ax"));
  EXPECT_TRUE(glob_match("[a", "[a")) << "a set that never ends is text";
}

TEST(Glob, LeavesALeadingDotToThoseWhoNameIt) {
  EXPECT_FALSE(glob_match("*env", ".env", LeadingDot::Explicit));
  EXPECT_TRUE(glob_match(".e*", ".env", LeadingDot::Explicit));
  EXPECT_TRUE(glob_match("*env", ".env"));
}

TEST(Glob, TakesNoLongerThanBothLengthsMultiplied) {
  const std::string text(20'000, 'a');
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  const host::test::CpuTime cpu;
  EXPECT_FALSE(glob_match(pattern + "b", text));
  EXPECT_LT(cpu.taken(), std::chrono::seconds(30));
}

}  // namespace
}  // namespace host::permission
