#include "base/text/encoding.h"

#include <gtest/gtest.h>

namespace host {
namespace {

// RFC 4648, section 10.
TEST(Base64, MatchesThePublishedVectors) {
  const std::pair<std::string_view, std::string_view> vectors[] = {
      {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}};
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(base64(plain), encoded);
    EXPECT_EQ(from_base64(encoded), plain);
  }
}

TEST(Base64, RefusesWhatIsNotExact) {
  for (const std::string_view bad :
       {"Zg=", "Zg", "Zh==", "Z===", "Zg==\n", "Zg==Zg==", "Z-==", "===="}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
}

TEST(Base64Url, UsesItsOwnAlphabetAndNoPadding) {
  EXPECT_EQ(base64url("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(from_base64url("-__-"), "\xfb\xff\xfe");
  EXPECT_EQ(from_base64url("+//+"), std::nullopt);
  EXPECT_EQ(from_base64url("Zg=="), std::nullopt);
}

TEST(Utf8, TakesEveryWellFormedLength) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa7"));
  EXPECT_TRUE(is_utf8("\xf4\x8f\xbf\xbf"));  // the last code point
}

TEST(Utf8, RefusesWhatTheStandardRefuses) {
  const std::string_view bad[] = {
      "\x80",              // a continuation alone
      "\xc0\x80",          // overlong
      "\xe0\x80\x80",      // overlong
      "\xf0\x80\x80\x80",  // overlong
      "\xed\xa0\x80",      // a surrogate
      "\xf4\x90\x80\x80",  // beyond U+10FFFF
      "\xe2\x82",          // cut short
      "\xff",
  };
  for (const std::string_view text : bad) EXPECT_FALSE(is_utf8(text));
}

TEST(Utf8, IsCutBetweenCharacters) {
  EXPECT_EQ(utf8_begin("abc", 3), "abc");
  EXPECT_EQ(utf8_begin("abc", 2), "ab");
  EXPECT_EQ(utf8_begin("", 0), "");
  const std::string_view text = "a\xe2\x82\xac\xf0\x9f\x94\xa7";
  for (const std::size_t most : {1u, 2u, 3u}) EXPECT_EQ(utf8_begin(text, most).size(), 1u) << most;
  for (const std::size_t most : {4u, 5u, 6u, 7u}) EXPECT_EQ(utf8_begin(text, most).size(), 4u);
  EXPECT_EQ(utf8_begin(text, 8), text);
}

TEST(Utf8, IsJudgedWhereverItStandsAmongAscii) {
  const std::string ascii(33, 'a');
  for (std::size_t at = 0; at <= ascii.size(); ++at) {
    EXPECT_TRUE(is_utf8(std::string(ascii).insert(at, "\xe2\x82\xac"))) << at;
    EXPECT_FALSE(is_utf8(std::string(ascii).insert(at, "\xe2\x82"))) << at;
    EXPECT_FALSE(is_utf8(std::string(ascii).insert(at, "\x80"))) << at;
  }
}

}  // namespace
}  // namespace host
