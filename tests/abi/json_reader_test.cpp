#include <vector>

#include <gtest/gtest.h>

#include "toolpost/detail/json.hpp"

namespace {

using toolpost::detail::Reader;

bool takes(std::string_view text) {
  // A buffer of exactly this size, so that a sanitizer sees a read past it.
  const std::vector<char> exact(text.begin(), text.end());
  try {
    Reader in({exact.data(), exact.size()}, "value");
    in.any();
    in.end();
    return true;
  } catch (const toolpost::Error&) {
    return false;
  }
}

TEST(JsonReader, TakesWhatIsJson) {
  for (const char* good : {"0", "-0.5e+10", "\"\\u00e9\\ud83d\\ude00\"", "[ ]", "{ }",
                           " [1 , {\"a\" : null}] ", "true", "1E5", "\"\\/\""}) {
    EXPECT_TRUE(takes(good)) << good;
  }
}

TEST(JsonReader, RefusesWhatIsNot) {
  for (const char* bad :
       {"",          "01",          "+1",      "1.",       ".5",    "1e",          "nul",
        "[1,]",      "[1 2]",       "{\"a\"}", "{\"a\":}", "{a:1}", "\"\\ud83d\"", "\"\\ude00\"",
        "\"\\u12\"", "\"\\u-123\"", "\"\\x\"", "\"a\nb\"", "\"a",   "1 1",         "]",
        "[",         "{",           "tru",     "NaN",      "-"}) {
    EXPECT_FALSE(takes(bad)) << bad;
  }
}

TEST(JsonReader, RefusesDeepNestingInsteadOfRunningOutOfStack) {
  EXPECT_TRUE(takes(std::string(128, '[') + std::string(128, ']')));
  EXPECT_FALSE(takes(std::string(1000000, '[')));
}

TEST(JsonReader, KeepsWholeNumbersExactAtTheirBounds) {
  const auto read = [](std::string_view text) {
    return Reader(text, "value").integer<std::int64_t>();
  };
  EXPECT_EQ(read("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(read("-9223372036854775808"), INT64_MIN);
  EXPECT_THROW(read("9223372036854775808"), toolpost::Error);
  EXPECT_THROW(read("1e400"), toolpost::Error);
  EXPECT_EQ(read("1e3"), 1000);
  EXPECT_THROW(Reader("-1", "value").integer<std::uint32_t>(), toolpost::Error);
}

TEST(JsonReader, NamesTheValueByItsPointer) {
  try {
    Reader in(R"({"a~b/c":[1,true]})", "value");
    in.object([&](std::string_view) { in.array([&] { in.number(); }); });
    FAIL();
  } catch (const toolpost::Error& error) {
    EXPECT_STREQ(error.what(), "value /a~0b~1c/1 is not a number");
  }
}

}  // namespace
