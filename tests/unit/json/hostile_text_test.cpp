// Texts that broke other parsers: each must be answered in bounded time and memory.
#include <gtest/gtest.h>

#include <string>

#include "json/json.h"

namespace host::json {
namespace {

std::string repeat(std::string_view part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

// Shapes that read or write out of bounds in RapidJSON 1.1.0's own number code.
TEST(HostileText, NumbersOfEveryShapeAreAnswered) {
  int answered = 0;
  for (const char digit : {'0', '1', '5', '9'}) {
    for (const std::size_t count : {1u, 17u, 20u, 309u, 400u, 800u}) {
      for (const char* exponent : {"", "e0", "e-1", "e-308", "e-324", "e-330", "e-2147483639",
                                   "e-2147483648", "e-99999999999999999999", "e1", "e308", "e309",
                                   "e2147483647", "E+99999999999999999999"}) {
        const std::string digits(count, digit);
        for (const std::string& text :
             {"0." + digits + exponent, "1" + digits + exponent,
              "-1" + digits + "." + digits + exponent, "-0." + digits + "1" + exponent}) {
          if (const auto document = parse("[" + text + "]")) {
            EXPECT_TRUE(document->root()[0].IsNumber());
            EXPECT_TRUE(parse(write(document->root())));
          }
          ++answered;
        }
      }
    }
  }
  EXPECT_EQ(answered, 4 * 6 * 14 * 4);
  EXPECT_EQ(parse("0.11111111111111111111e-2147483639")->root().GetDouble(), 0.0);
}

TEST(HostileText, AMillionLevelsAreRefused) {
  for (const char* open : {"[", "{\"a\":", "[{\"a\":"}) {
    const auto document = parse(repeat(open, 1'000'000));
    ASSERT_FALSE(document);
    EXPECT_NE(document.error().message.find("nested deeper than 128"), std::string::npos);
  }
}

TEST(HostileText, AMillionLevelsStayIterativeWhereTheLimitAllowsThem) {
  const std::string text = repeat("[", 1'000'000) + repeat("]", 1'000'000);
  EXPECT_TRUE(parse(text, Limits{.depth = 1'000'000}));
}

TEST(HostileText, ManyTinyValuesStopAtTheNodeLimit) {
  const auto document = parse("[" + repeat("1,", 2'000'000) + "1]");
  ASSERT_FALSE(document);
  EXPECT_NE(document.error().message.find("more than 1000000 values"), std::string::npos);
}

TEST(HostileText, LongStringsAndNamesAreRefused) {
  EXPECT_FALSE(parse("\"" + std::string(17u << 20u, 'x') + "\""));
  EXPECT_FALSE(parse("{\"" + std::string(2000, 'x') + "\":1}"));
}

TEST(HostileText, EveryTruncationIsRefused) {
  const std::string text = R"({"a\u00e9":[1.5e3,true,null,"😀\ud83d\ude00"],"b":{"c":-12}})";
  ASSERT_TRUE(parse(text));
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string cut =
        text.substr(0, length);  // its own buffer, so that a sanitizer sees its end
    EXPECT_FALSE(parse(cut)) << cut;
  }
}

TEST(HostileText, EveryByteInPlaceOfAnotherIsAnswered) {
  const std::string text = R"({"k":[12.5e1,"a\u00e9😀",null]})";
  for (std::size_t position = 0; position < text.size(); ++position) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[position] = static_cast<char>(byte);
      if (const auto document = parse(changed)) {
        EXPECT_TRUE(parse(write(document->root()))) << changed;
      }
    }
  }
}

}  // namespace
}  // namespace host::json
