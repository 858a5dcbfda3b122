#include <string>

#include <gtest/gtest.h>

#include "files/name_glob.h"

namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(NameGlob, MoreStarsInARowMeanTwo) {
  EXPECT_TRUE(name_fits("a/***", "a/b/c"));
  EXPECT_TRUE(name_fits("a/***/c", "a/c"));
  EXPECT_TRUE(name_fits("a/****/c", "a/b/b/c"));
  EXPECT_FALSE(name_fits("a/***/c", "a/bc"));
  EXPECT_FALSE(name_fits("a*/c", "a/b/c"));
}

// A recursion over the stars would end the process here.
TEST(NameGlob, AnyNumberOfStarsIsLookedAtWithoutRecursion) {
  EXPECT_TRUE(name_fits(std::string(400'000, '*'), "a"));
  EXPECT_TRUE(name_fits(repeated("**/", 400'000), "a/"));
  EXPECT_TRUE(name_fits(repeated("*[", 2) + repeated("*", 400'000), "a[b[c"));
}

// The folders that a `**/` stands for end with a slash or are none.
TEST(NameGlob, FoldersThatRepeatMeanTheSame) {
  EXPECT_TRUE(name_fits("**/**/**/x", "x"));
  EXPECT_TRUE(name_fits("**/**/x", "a/b/c/x"));
  EXPECT_FALSE(name_fits("**/**/x", "a/bx"));
  EXPECT_FALSE(name_fits("a/**/**/x", "a/b"));
}

}  // namespace
