#include "json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "json/depth.h"
#include "json/foreign.h"
#include "json/own_text.h"

namespace host::json {
namespace {

using testing::HasSubstr;

ParseError refused(std::string_view text, const Limits& limits = {}) {
  ParseError error;
  EXPECT_EQ(parse(text, limits, error), nullptr) << text;
  return error;
}

Document accepted(std::string_view text, const Limits& limits = {}) {
  auto document = parse(text, limits);
  EXPECT_TRUE(document) << (document ? "" : document.error().message);
  return document ? *std::move(document) : Document();
}

TEST(Parse, GivesATreeOfEveryKind) {
  const Document document = accepted(
      R"( {"a":[1,-2,2.5,"x",true,false,null],"b":{},"c":[],"":{"d":"\u00e9\ud83d\ude00"}} )");
  const Value& root = document.root();
  EXPECT_EQ(write(root),
            "{\"a\":[1,-2,2.5,\"x\",true,false,null],\"b\":{},\"c\":[],"
            "\"\":{\"d\":\"\u00e9\U0001F600\"}}");
  EXPECT_EQ(find_text(*find(root, ""), "d"), "\u00e9\U0001F600");
}

TEST(Parse, KeepsIntegersOf64Bits) {
  EXPECT_EQ(accepted("9223372036854775807").root().GetInt64(),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(accepted("-9223372036854775808").root().GetInt64(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(accepted("18446744073709551615").root().GetUint64(),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(Parse, RefusesIntegersBeyond64Bits) {
  EXPECT_THAT(refused("18446744073709551616").message, HasSubstr("64 bits"));
  EXPECT_THAT(refused("-9223372036854775809").message, HasSubstr("64 bits"));
  EXPECT_THAT(refused("[1, 123456789012345678901234567890]").describe(),
              HasSubstr("line 1, column 5 (byte 4): the integer does not fit 64 bits"));
}

TEST(Parse, ReadsDoublesExactly) {
  for (const double value : {0.1, 1e23, 5e-324, 2.2250738585072011e-308, 1.7976931348623157e308,
                             9007199254740993.5, 123456789.123456789}) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17e", value);
    const Document document = accepted(text);
    EXPECT_EQ(document.root().GetDouble(), value) << text;
  }
}

// glibc's strtod rounds rightly; every length of digits and size of exponent, so that each of the
// ways to read a number is taken.
TEST(Parse, ReadsRandomDecimalsAsTheNearestDouble) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    std::string digits = std::to_string(random());
    digits.resize(1 + random() % digits.size());
    const std::size_t point = 1 + random() % digits.size();
    std::string text = digits[0] == '0' ? "0" : digits.substr(0, point);
    text += '.' + (point < digits.size() ? digits.substr(point) : "0");
    const int exponent = static_cast<int>(random() % 61) - 30;
    if (i % 3 != 0) text += 'e' + std::to_string(i % 100 == 1 ? exponent * 9 : exponent);
    if (i % 2 == 0) text.insert(0, 1, '-');
    const Document document = accepted(text);
    ASSERT_EQ(document.root().GetDouble(), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(Parse, ReadsAZeroWhateverItsExponent) {
  for (const std::string& zero :
       {std::string("0e400"), std::string("0.000e999999"), std::string("0E+99999999999999999999"),
        std::string("0e-400"), "0." + std::string(1000, '0') + "e5000"}) {
    const Document plus = accepted(zero);
    EXPECT_TRUE(plus.root().IsDouble()) << zero;
    EXPECT_EQ(plus.root().GetDouble(), 0.0) << zero;
    EXPECT_FALSE(std::signbit(plus.root().GetDouble())) << zero;
    const Document minus = accepted("-" + zero);
    EXPECT_EQ(minus.root().GetDouble(), 0.0) << zero;
    EXPECT_TRUE(std::signbit(minus.root().GetDouble())) << zero;
  }
}

TEST(Parse, ReadsAThousandDigits) {
  const std::string zeros(1000, '0');
  const std::string threes(1000, '3');
  EXPECT_EQ(accepted("0." + threes).root().GetDouble(), 1.0 / 3);
  EXPECT_EQ(accepted("1." + zeros + "1").root().GetDouble(), 1.0);
  EXPECT_EQ(accepted("0." + zeros + "1e1001").root().GetDouble(), 1.0);
  EXPECT_EQ(accepted("1" + zeros + "e-1000").root().GetDouble(), 1.0);
  EXPECT_EQ(accepted("-1" + zeros + ".5e-999").root().GetDouble(), -10.0);
  EXPECT_EQ(accepted("0." + zeros + "1").root().GetDouble(), 0.0);
  // Half of the way between 1 and the next double, and a little more.
  const std::string half = "1.00000000000000011102230246251565404236316680908203125";
  EXPECT_EQ(accepted(half).root().GetDouble(), 1.0);
  EXPECT_EQ(accepted(half + zeros + "1").root().GetDouble(), std::nextafter(1.0, 2.0));
  EXPECT_THAT(refused("1" + zeros).message, HasSubstr("the integer does not fit 64 bits"));
  EXPECT_THAT(refused("-9" + threes).message, HasSubstr("the integer does not fit 64 bits"));
  EXPECT_THAT(refused(threes + ".5").message, HasSubstr("too large for a double"));
}

TEST(Parse, SaysWhereANumberLacksADigit) {
  const auto at = [](std::string_view text) {
    const ParseError error = refused(text);
    return std::to_string(error.byte) + ' ' + error.message;
  };
  EXPECT_EQ(at("[-]"), "2 expected a digit after the minus");
  EXPECT_EQ(at("[-a]"), "2 expected a digit after the minus");
  EXPECT_EQ(at("[1.]"), "3 expected a digit after the point");
  EXPECT_EQ(at("[1.e3]"), "3 expected a digit after the point");
  EXPECT_EQ(at("[1e]"), "3 expected a digit in the exponent");
  EXPECT_EQ(at("[0E+]"), "4 expected a digit in the exponent");
  EXPECT_EQ(at("[01]"), "2 expected ',' or ']'");
  EXPECT_EQ(at("[+1]"), "1 expected a value");
  EXPECT_EQ(at("[.5]"), "1 expected a value");
  EXPECT_EQ(at("1e"), "2 the text ends too early");
}

TEST(Parse, TurnsUnderflowIntoZeroOfTheSameSign) {
  for (const char* text : {"1e-400", "0.0000001e-330", "1e-99999999999999999999", "2e-324"}) {
    const Document document = accepted(text);
    EXPECT_EQ(document.root().GetDouble(), 0.0) << text;
  }
  EXPECT_TRUE(std::signbit(accepted("-1e-400").root().GetDouble()));
}

TEST(Parse, KeepsMinusZero) {
  const Document document = accepted("[-0, -0.0, 0]");
  EXPECT_TRUE(std::signbit(document.root()[0].GetDouble()));
  EXPECT_TRUE(std::signbit(document.root()[1].GetDouble()));
  EXPECT_TRUE(document.root()[2].IsInt());
}

TEST(Parse, RefusesNumbersBeyondADouble) {
  for (const char* text : {"1e400", "-1e400", "1.8e308", "1e99999999999999999999"}) {
    EXPECT_THAT(refused(text).message, HasSubstr("too large")) << text;
  }
}

TEST(Parse, RefusesTextAfterTheValue) {
  EXPECT_EQ(refused("{} x").byte, 3u);
  EXPECT_THAT(refused("1 2").message, HasSubstr("nothing after the value"));
  refused("[1],");
}

TEST(Parse, DoesNotTakeARawNulForTheEnd) {
  using std::literals::string_view_literals::operator""sv;
  EXPECT_EQ(refused("{}\0"sv).byte, 2u);
  EXPECT_EQ(refused("{}\0{\"a\":1}"sv).byte, 2u);
  EXPECT_EQ(refused("1\0002"sv).byte, 1u);
  EXPECT_EQ(refused("\0"sv).byte, 0u);
  EXPECT_EQ(refused("[1,\0]"sv).byte, 3u);
  EXPECT_EQ(refused("\"a\0b\""sv).byte, 2u);
}

TEST(Parse, NeedsNoTerminator) {
  const std::string text = "[12]345";
  const Document document = accepted(std::string_view(text).substr(0, 4));
  EXPECT_EQ(document.root()[0].GetInt(), 12);
  EXPECT_EQ(accepted(std::string_view("123").substr(0, 2)).root().GetInt(), 12);
}

TEST(Parse, TellsLineColumnAndByteOfAnError) {
  const ParseError error = refused("{\n  \"a\": 1,\n  \"b\": tru\n}");
  EXPECT_EQ(error.line, 3u);
  EXPECT_EQ(error.byte, 22u);
  EXPECT_EQ(error.column, 11u);
  EXPECT_THAT(error.describe(), HasSubstr("line 3, column 11 (byte 22): "));
}

TEST(Parse, SaysThatATextEndsTooEarly) {
  EXPECT_THAT(refused("").message, HasSubstr("empty"));
  EXPECT_THAT(refused("  ").message, HasSubstr("empty"));
  EXPECT_THAT(refused("[1, 2").message, HasSubstr("ends too early"));
  EXPECT_THAT(refused("\"abc").message, HasSubstr("ends too early"));
  EXPECT_THAT(refused("{\"a\":").message, HasSubstr("ends too early"));
}

TEST(Parse, RefusesAMemberThatStandsTwice) {
  const ParseError error = refused(R"({"a":1, "b":2, "\u0061":3})");
  EXPECT_EQ(error.byte, 15u);
  EXPECT_THAT(error.message, HasSubstr("member name \"a\" stands twice"));
  refused(R"({"x":{"":1,"":1}})");
  refused(R"([{"\ud83d\ude00":1,"😀":1}])");
  refused(R"({"a\"\\\/\b\n":1,"a\"\\/\b\n":1})");
}

TEST(Parse, TakesTheSameNameInDifferentObjects) {
  accepted(R"({"a":{"a":{"a":1},"b":1},"b":[{"a":1},{"a":1}]})");
  accepted(R"({"a":1,"A":2})");
}

TEST(Parse, FindsARepeatedNameAmongManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  accepted(text + "\"last\":0}");
  const ParseError error = refused(text + "\"k77\":0}");
  EXPECT_EQ(error.byte, text.size());
  EXPECT_THAT(error.message, HasSubstr("\"k77\""));
}

TEST(Parse, RefusesWhatIsNotUtf8) {
  for (const char* bytes : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80",
                            "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xFF", "\xF5\x80\x80\x80"}) {
    const ParseError error = refused(std::string("[\"ok ") + bytes + "\"]");
    EXPECT_THAT(error.message, HasSubstr("UTF-8"));
    EXPECT_EQ(error.byte, 5u);
    refused(std::string("{\"") + bytes + "\":1}");
  }
  accepted(
      "\"\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"");
}

TEST(Parse, SaysWhereAStringIsWrong) {
  const auto at = [](std::string_view text) {
    const ParseError error = refused(text);
    return std::to_string(error.byte) + ' ' + error.message;
  };
  EXPECT_EQ(at("\"ab\ncd\""), "3 a control character must be escaped in a string");
  EXPECT_EQ(at(R"("a\x")"), "2 an unknown escape");
  EXPECT_EQ(at(R"("a\u12g4")"), "6 expected four hex digits after \\u");
  EXPECT_EQ(at(R"("a\ud83d\n")"), "2 half of a surrogate pair in a \\u escape");
  EXPECT_EQ(at(R"("a\ud83d)"), "8 the text ends too early");
  EXPECT_EQ(at(R"({"a\)"), "4 the text ends too early");
}

TEST(Parse, RefusesHalfASurrogatePair) {
  EXPECT_THAT(refused(R"("\ud800")").message, HasSubstr("surrogate"));
  refused(R"("\udc00\ud800")");
  refused(R"("\ud800\u0041")");
}

TEST(Depth, CountsWhatIsOpenOutsideOfStrings) {
  EXPECT_FALSE(nests_deeper(R"([{"a":[]}, [[1]]])", 3));
  EXPECT_TRUE(nests_deeper(R"([{"a":[]}, [[1]]])", 2));
  EXPECT_FALSE(nests_deeper(R"(["[[[", "\\\"[[["])", 1));
  EXPECT_TRUE(nests_deeper(R"(["\\", [)", 1));
  EXPECT_FALSE(nests_deeper("]]]]", 0));
  EXPECT_FALSE(nests_deeper("\"\\", 0));  // ends within an escape
}

TEST(ParseOwn, ReadsWhatTheHostHasAcceptedUnderAnySettings) {
  const std::string deep = std::string(1024, '[') + std::string(1024, ']');
  EXPECT_FALSE(parse(deep));
  EXPECT_TRUE(parse_own("{\"content\":" + deep + "}"));
  const std::string key(2000, 'k');
  EXPECT_TRUE(parse_own("{\"" + key + "\":1}"));
  EXPECT_FALSE(parse_own(R"({"a":1,"a":2})"));
}

TEST(Parse, KeepsToItsLimits) {
  const Limits limits{.depth = 3, .nodes = 6, .string_bytes = 4, .key_bytes = 2};
  accepted("[[[]]]", limits);
  EXPECT_THAT(refused("[[[[]]]]", limits).message, HasSubstr("deeper than 3"));
  EXPECT_THAT(refused("[[{\"a\":{}}]]", limits).message, HasSubstr("deeper than 3"));
  accepted("[1,2,3,4,5]", limits);
  EXPECT_THAT(refused("[1,2,3,4,5,6]", limits).message, HasSubstr("more than 6 values"));
  accepted("\"1234\"", limits);
  EXPECT_THAT(refused("\"12345\"", limits).message, HasSubstr("longer than 4 bytes"));
  EXPECT_THAT(refused("{\"abc\":1}", limits).message, HasSubstr("longer than 2 bytes"));
}

TEST(Parse, GivesTheDescriptionAsTheResultsError) {
  const auto result = parse("[1 2]");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(result.error().message, "line 1, column 4 (byte 3): expected ',' or ']'");
}

TEST(ParseForeign, ReplacesWhatParseRefusesAndJavaScriptReads) {
  const auto read = [](std::string_view text) {
    const auto document = parse_foreign(text);
    return document ? write(document->root()) : document.error().message;
  };
  EXPECT_EQ(read("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(read("18446744073709551616"), "18446744073709551616.0");
  EXPECT_EQ(read("-9223372036854775809"), "-9223372036854775808.0");
  EXPECT_EQ(read("[1e400,-1e400]"), "[1.7976931348623157e+308,-1.7976931348623157e+308]");
  EXPECT_EQ(read(R"("\ud83d\ude00")"), "\"\xF0\x9F\x98\x80\"");
  EXPECT_EQ(read(R"("a\ud83d")"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(read(R"("\ud83db")"), "\"\xEF\xBF\xBD\x62\"");
  EXPECT_EQ(read(R"("\ud83d\ud83d\ude00\udc00")"), "\"\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBD\"");
  EXPECT_THAT(read(R"({"\ud83d":1})"), HasSubstr("surrogate")) << "two names could become one";
  EXPECT_THAT(read(R"("\ud83d\uZ")"), HasSubstr("expected four hex digits"));
  EXPECT_THAT(read("\"\xED\xA0\xBD\""), HasSubstr("not valid UTF-8"));
}

TEST(Document, MovesWithoutMovingItsNodes) {
  Document document = accepted(R"({"a":[1,2,3]})");
  const Value* const node = at(document.root(), "/a/1");
  const Document moved = std::move(document);
  EXPECT_EQ(at(moved.root(), "/a/1"), node);
}

TEST(Document, ClonesStringsThatTheOriginalOnlyRefersTo) {
  Document document;
  std::string outside = "a string that is too long to stand inside of a value";
  document.root().SetObject();
  document.root().AddMember("k", Value(rapidjson::StringRef(outside.data(), outside.size())),
                            document.allocator());
  const Document clone = document.clone();
  outside.assign(outside.size(), 'x');
  EXPECT_EQ(find_text(clone.root(), "k"), "a string that is too long to stand inside of a value");
}

TEST(Document, SetsMembersInPlace) {
  Document document = accepted(R"({"a":1})");
  set(document.root(), "a", string("x", document.allocator()), document.allocator());
  set(document.root(), "b", Value(2), document.allocator());
  EXPECT_EQ(write(document.root()), R"({"a":"x","b":2})");
}

}  // namespace
}  // namespace host::json
