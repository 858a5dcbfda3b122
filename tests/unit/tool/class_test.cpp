#include "tool/definition/class.h"

#include <gtest/gtest.h>

namespace host::tool {
namespace {

TEST(Classify, GoesByTheFirstPrefixThatMatches) {
  EXPECT_EQ(classify("search"), Class::Standard);
  EXPECT_EQ(classify("_title"), Class::Internal);
  EXPECT_EQ(classify("pre_pay"), Class::Pre);
  EXPECT_EQ(classify("post_pay"), Class::Post);
  EXPECT_EQ(classify("priv_keys"), Class::Private);
  EXPECT_EQ(classify("mcp__files__read"), Class::Upstream);
}

TEST(Classify, TakesThePrefixWithItsUnderscoreOnly) {
  for (const auto* name : {"pretty", "postpone", "private", "mcp", "preview_all", ""}) {
    EXPECT_EQ(classify(name), Class::Standard) << name;
  }
  EXPECT_EQ(classify("_pre_x"), Class::Internal);
}

TEST(Stem, IsTheNameOfTheActionThatAPrefixIsPutBefore) {
  EXPECT_EQ(stem("pre_pay"), "pay");
  EXPECT_EQ(stem("post_pay"), "pay");
  EXPECT_EQ(stem("priv_pay"), "pay");
  EXPECT_EQ(stem("pay"), "pay");
  EXPECT_EQ(stem("_pay"), "_pay");
}

}  // namespace
}  // namespace host::tool
