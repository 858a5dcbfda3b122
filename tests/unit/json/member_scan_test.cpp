#include "json/member_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace host::json {
namespace {

std::string id_in(std::string_view text, std::size_t piece = std::string_view::npos) {
  MemberScan scan("id");
  for (std::size_t at = 0; at < text.size(); at += std::min(piece, text.size())) {
    scan.take(text.substr(at, piece));
  }
  return std::string(scan.kept());
}

TEST(MemberScan, KeepsTheValueOfOneMemberOfTheOutermostObject) {
  EXPECT_EQ(id_in(R"({"id":7,"method":"x"})"), "7");
  EXPECT_EQ(id_in(R"( { "method" : "x" , "id" : "a" } )"), R"("a")");
  EXPECT_EQ(id_in(R"({"params":{"id":1},"list":[{"id":2},"id",3],"id":4})"), "4");
  EXPECT_EQ(id_in(R"({"text":"\"id\":5,}]","id":"q\"\\"})"), R"("q\"\\")");
  EXPECT_EQ(id_in(R"({"id":-1.5e3})"), "-1.5e3");
}

TEST(MemberScan, KeepsItThoughTheTextIsNoJson) {
  EXPECT_EQ(id_in(R"({"id":7,"params":{"x":tru)"), "7");
  EXPECT_EQ(id_in("{\"a\":\"\xff\",\"id\":7}"), "7");
  EXPECT_EQ(
      id_in(R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + R"(,"id":7})"),
      "7");
}

TEST(MemberScan, KeepsNothingThatIsInDoubt) {
  for (const char* text :
       {"", "7", R"("id":7,)", R"([{"id":7}])", R"({"id":7)", R"({"id":"7)", R"({"id":)", "{\"id\"",
        R"({"id":1,"id":2})", R"({"id":1,"id":1,"id":3})", R"({"id":{"a":1}})", R"({"id":[1]})",
        R"({"i\u0064":7})", R"({"id ":7})", R"({"a":{"id":7}})", R"({"a":"b\"})", "}{\"id\":7}"}) {
    EXPECT_EQ(id_in(text), "") << text;
  }
  EXPECT_EQ(id_in(R"({"id":")" + std::string(1u << 20u, 'x') + R"("})"), "");
}

TEST(MemberScan, DoesNotMindWhereThePiecesEnd) {
  const std::string text = R"({"a":"\\\"id\":1,","b":[{"id":2}],"id":"\u00e9\"","method":"x"})";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(id_in(text, piece), R"("\u00e9\"")") << piece;
  }
}

TEST(MemberScan, KnowsWhichMembersThereWere) {
  MemberScan scan("id");
  scan.take(R"({"method":"x","a":{"result":1},"error":)");
  EXPECT_TRUE(scan.has("method"));
  EXPECT_TRUE(scan.has("a"));
  EXPECT_FALSE(scan.has("result"));
  EXPECT_FALSE(scan.has("error"));
}

}  // namespace
}  // namespace host::json
