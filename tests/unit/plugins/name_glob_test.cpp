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

TEST(NameGlob, CharactersAreNoBytes) {
  EXPECT_TRUE(name_fits("caf?.txt", "caf\u00e9.txt"));
  EXPECT_FALSE(name_fits("caf??.txt", "caf\u00e9.txt"));
  EXPECT_TRUE(name_fits("caf[\u00e9\u20ac].txt", "caf\u00e9.txt"));
  EXPECT_FALSE(name_fits("caf[!\u00e9].txt", "caf\u00e9.txt"));
  EXPECT_TRUE(name_fits("[\u03b1-\u03c9]", "\u03bb"));
  EXPECT_TRUE(name_fits("?\U0001F600\xff*", "\u20ac\U0001F600\xff\xfe\xc3"));
  EXPECT_TRUE(name_fits("??", "\xc3\xff"));
  EXPECT_FALSE(name_fits("\xe9", "\u00e9"));
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
