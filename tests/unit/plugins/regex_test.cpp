#include "regex/regex.h"

#include <gtest/gtest.h>

namespace {

// How often a search asks whether it may go on; it is stopped at `most`, unless that is 0.
int asks_of(const std::string& pattern, const std::string& text, int most) {
  int asks = 0;
  RegexSearch search(Regex(pattern), [&] { return ++asks != most; });
  if (most == 0) {
    EXPECT_FALSE(search.find(text, 0, {}));
  } else {
    EXPECT_THROW(search.find(text, 0, {}), TooCostly) << pattern;
  }
  return asks;
}

TEST(Regex, FindsMatchesFromAPlaceOn) {
  RegexSearch search(Regex("b+"), [] { return true; });
  const auto first = search.find("abbab", 0, {});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->begin, 1u);
  EXPECT_EQ(first->end, 3u);
  EXPECT_EQ(search.find("abbab", first->end, {})->begin, 4u);
  EXPECT_FALSE(search.find("abbab", 5, {}));
  EXPECT_FALSE(RegexSearch(Regex("x*"), [] { return true; }).find("a", 0, {.not_empty = true}));
}

// To the end, each of these searches would take from minutes to years.
TEST(Regex, ASearchThatScansTheTextAgainAndAgainCanBeStopped) {
  const std::string word(1 << 20, 'a');
  EXPECT_EQ(asks_of("[a-z]+[@#]", word, 100), 100);
  EXPECT_EQ(asks_of("[a-z]+[@#]", std::string(1 << 20, '.') + word, 100), 100)
      << "late in the text";
  EXPECT_EQ(asks_of(".*[a-z]*[@#]", word, 100), 100) << "from one place";
}

TEST(Regex, ASearchOfShortWordsIsSeldomAsked) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "some words ";
  EXPECT_LT(asks_of("[a-z]+[@#]", text, 0), 50);
}

TEST(Regex, RepeatsInRepeatsEndByTheLimitOfSteps) {
  RegexSearch search(Regex("(a+)+$"), [] { return true; });
  EXPECT_THROW(search.find(std::string(40, 'a') + "!", 0, {}), TooCostly);
}

}  // namespace
