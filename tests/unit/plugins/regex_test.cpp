#include "regex/regex.h"

#include <ctime>

#include <gtest/gtest.h>

#include <toolpost/toolpost.hpp>

namespace {

// Wide enough for a slow machine and a checked build.
constexpr double kMuch = 20;

// Of the thread, so that a busy machine changes nothing.
double cpu_seconds(const std::function<void()>& work) {
  const auto used = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double before = used();
  work();
  return used() - before;
}

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

// The text with enough of its own to make a MiB.
std::string repeated(const std::string& part) {
  std::string text;
  while (text.size() < 1 << 20) text += part;
  return text;
}

// To the end, each of these searches would take from minutes to years.
TEST(Regex, ASearchThatScansTheTextAgainAndAgainCanBeStopped) {
  const std::string word(1 << 20, 'a');
  EXPECT_EQ(asks_of("[a-z]+[@#]", word, 10), 10);
  EXPECT_EQ(asks_of("[a-z]+[@#]", std::string(1 << 20, '.') + word, 10), 10) << "late in the text";
  EXPECT_EQ(asks_of(".*[a-z]*[@#]", word, 10), 10) << "from one place";
}

// Each of these items scans far from each place and fails within, so that the search stands still
// between two items.
TEST(Regex, ASearchWhoseItemsFailFarAwayCanBeStopped) {
  std::string most = "[a-z]{65535}";
  for (int i = 0; i < 70; ++i) most += "|[a-z]{65535}";
  const std::string letters = repeated(std::string(65'534, 'a') + ".");
  EXPECT_LT(cpu_seconds([&] { asks_of("[a-z]{65535}", letters, 10); }), kMuch);
  EXPECT_LT(cpu_seconds([&] { asks_of(most, letters, 10); }), kMuch);
  const std::string word = std::string(2 << 20, 'a') + ".c";
  EXPECT_LT(cpu_seconds([&] { asks_of("(?<a>a+)\\k<a>c", word, 10); }), kMuch);
  EXPECT_LT(cpu_seconds([&] { asks_of("(?i)(?<a>a+)\\k<a>c", word, 10); }), kMuch);
}

TEST(Regex, NoPatternHasGraphemes) {
  for (const char* pattern : {"\\X", "a\\X{2}", "(?C1)\\X*", "(?C'x')\\X", "(?(?=\\X)a|b)",
                              "(?i)(\\X)", "\\Qa\\E\\X", "(?x) # a\n \\X", "(?<=\\Xa)"})
    EXPECT_THROW(Regex{pattern}, toolpost::Error) << pattern;
  for (const char* pattern : {"\\\\X", "\\Q\\X\\E", "X", "\\x{58}", "(?#\\X)a"})
    EXPECT_NO_THROW(Regex{pattern}) << pattern;
}

TEST(Regex, AClassHasABoundedLength) {
  std::string members;
  while (members.size() < 240) members += "\\pZ";
  EXPECT_NO_THROW(Regex("[^" + members + "]*#"));
  EXPECT_THROW(Regex("[^" + members + members + "]*#"), toolpost::Error);
  EXPECT_THROW(Regex("a(b|(?i)[" + members + members + "])"), toolpost::Error);
}

TEST(Regex, ASearchOfShortWordsIsQuick) {
  EXPECT_LT(cpu_seconds([] { asks_of("[a-z]+[@#]", repeated("some words "), 0); }), kMuch);
}

TEST(Regex, RepeatsInRepeatsEndByTheLimitOfSteps) {
  RegexSearch search(Regex("(a+)+$"), [] { return true; });
  EXPECT_THROW(search.find(std::string(40, 'a') + "!", 0, {}), TooCostly);
}

}  // namespace
