#include "upstream/connection/secrets.h"

#include <gtest/gtest.h>

namespace host::upstream {
namespace {

TEST(Secrets, AreHiddenInEveryForm) {
  Secrets secrets;
  secrets.add("tok-1");
  secrets.add("tok-1-longer");
  secrets.add("a\"b\u00e4c");
  secrets.add("first line\nsecond line\n");
  secrets.add("abc");  // too short
  EXPECT_EQ(secrets.hide("tok-1-longer, tok-1tok-1 and abc"), "[secret], [secret][secret] and abc");
  EXPECT_EQ(secrets.hide("a\"b\u00e4c a\\\"b\u00e4c"), "[secret] [secret]");
  EXPECT_EQ(secrets.hide("> second line <"), "> [secret] <");
  EXPECT_EQ(secrets.hide(""), "");
}

// An API can answer with its key as often as an answer has room for it.
TEST(Secrets, AreHiddenHoweverOftenATextHasThem) {
  Secrets secrets;
  secrets.add("a-longer-token");
  std::string text;
  std::string hidden;
  for (int i = 0; i < 500'000; ++i) {
    text += "a-longer-token,";
    hidden += "[secret],";
  }
  EXPECT_TRUE(secrets.hide(text) == hidden);
}

TEST(Secrets, AreHiddenWhereATextIsCut) {
  Secrets secrets;
  secrets.add("token-12345");
  EXPECT_EQ(secrets.hide("with token-1", true), "with [secret]");
  EXPECT_EQ(secrets.hide("with tok", true), "with tok");
  EXPECT_EQ(secrets.hide("with token-1"), "with token-1");
  EXPECT_EQ(secrets.hide("tok", true), "tok");
}

TEST(Secrets, OfManyConnectionsAreBounded) {
  Secrets secrets;
  for (int i = 0; i < 10'000; ++i) secrets.add("value " + std::to_string(i));
  EXPECT_EQ(secrets.hide("value 9999"), "[secret]");
}

TEST(Secrets, AreForgottenWhenTheyWereReplaced) {
  Secrets secrets;
  secrets.add("of-the-operator");
  for (int i = 0; i < 1000; ++i) {
    const std::string token = "a-token-that-is-longer-\\-" + std::to_string(i);
    secrets.add(token);
    EXPECT_EQ(secrets.hide(token), "[secret]");
    secrets.remove(token);
    EXPECT_EQ(secrets.hide(token), token);
  }
  EXPECT_EQ(secrets.hide("of-the-operator"), "[secret]");
}

TEST(Secrets, ABeginningIsHiddenWhereTheHostQuotesIt) {
  Secrets secrets;
  secrets.add("tok_0123456789abcdefghijklmnop");
  EXPECT_EQ(secrets.hide_in_words("the type \"xtok_0123456789abc\", which"),
            "the type \"x[secret]\", which");
  EXPECT_EQ(secrets.hide_in_words("tok_0123456789ab... tok_0123456789abcd"),
            "[secret]... [secret]");
  EXPECT_EQ(secrets.hide_in_words("tok_0123456789ab-other"), "tok_0123456789ab-other");
  EXPECT_EQ(secrets.hide_in_words("\"tok_01234\""), "\"tok_01234\"");  // too short to be sure
}

}  // namespace
}  // namespace host::upstream
