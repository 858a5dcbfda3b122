#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "json/canonical.h"
#include "json/json.h"

namespace host::json {
namespace {

TEST(Write, GivesBackWhatWasParsed) {
  for (const char* text :
       {"null", "[]", "{}", R"({"a":[1,-5,2.5,true,false,null,"x"],"b":{"c":{}}})",
        "18446744073709551615", "-9223372036854775808", "-0.0", "2.0", "1e+300"}) {
    EXPECT_EQ(write(parse(text)->root()), text);
  }
}

TEST(Write, OneCanonicalTextForAllOrdersOfMembers) {
  const auto text = [](const char* of) { return canonical(parse(of)->root()); };
  EXPECT_EQ(text(R"({"b":[{"z":1,"y":2},3],"a":{"d":null,"c":"x"}})"),
            R"({"a":{"c":"x","d":null},"b":[{"y":2,"z":1},3]})");
  EXPECT_EQ(text(R"({"B":1,"a":2,"":3,"aa":4})"), R"({"":3,"B":1,"a":2,"aa":4})");
  EXPECT_NE(text("[1,2]"), text("[2,1]"));
  EXPECT_EQ(text("7"), "7");
}

TEST(Write, EscapesWhatAStringCannotHold) {
  std::string written;
  write_string(std::string_view("a\"b\\c\b\f\n\r\t\x01\x1f\0/\x7f\u00e9", 17), written);
  EXPECT_EQ(written, "\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\\u001f\\u0000/\x7f\u00e9\"");
}

// The text is scanned in pieces of 16 and of 8 bytes, and byte by byte.
TEST(Write, FindsASpecialCharacterAtEveryPlaceOfEveryLength) {
  for (const auto& [special, escaped] :
       std::vector<std::pair<std::string, std::string>>{{"\"", "\\\""},
                                                        {"\\", "\\\\"},
                                                        {"\x1f", "\\u001f"},
                                                        {"\xFF", "\uFFFD"},
                                                        {"\x7f", "\x7f"}}) {
    for (std::size_t length = 0; length < 50; ++length) {
      for (std::size_t place = 0; place <= length; ++place) {
        const std::string before(place, '~');
        const std::string after(length - place, ' ');
        std::string written;
        write_string(before + special + after, written);
        ASSERT_EQ(written, '"' + before + escaped + after + '"') << place << " of " << length;
        const auto parsed = parse(written);
        ASSERT_TRUE(parsed) << written;
        ASSERT_EQ(text(parsed->root()).size(), length + (special == "\xFF" ? 3 : 1));
      }
    }
  }
}

TEST(Write, PutsAMarkInPlaceOfBytesThatAreNotUtf8) {
  std::string written;
  write_string("a\xFFz\xC3", written);
  EXPECT_EQ(written, "\"a\uFFFDz\uFFFD\"");
}

TEST(Write, GivesDoublesThatReadBackTheSame) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.0, -1e-7}) {
    EXPECT_EQ(parse(write(Value(value)))->root().GetDouble(), value);
  }
}

TEST(Write, HasNoWordForInfinity) {
  EXPECT_EQ(write(Value(std::numeric_limits<double>::infinity())), "null");
}

TEST(Write, AppendsToWhatIsThere) {
  std::string to = "data: ";
  write(Value(1), to);
  EXPECT_EQ(to, "data: 1");
}

}  // namespace
}  // namespace host::json
