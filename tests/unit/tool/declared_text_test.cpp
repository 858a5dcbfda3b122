#include "tool/definition/declared_text.h"

#include <gtest/gtest.h>

namespace host::tool {
namespace {

TEST(DeclaredText, KnowsNamesAndIds) {
  for (const char* name : {"a", "read_file", "Read-2"}) EXPECT_TRUE(is_plain_name(name)) << name;
  for (const char* name : {"", "a b", "a\n", "../etc", "a.b", "\xc3\xa4"})
    EXPECT_FALSE(is_plain_name(name)) << name;
  EXPECT_TRUE(is_plain_name(std::string(64, 'a')));
  EXPECT_FALSE(is_plain_name(std::string(65, 'a')));

  for (const char* id : {"x", "io.toolpost.hello", "org.example.my-tool_2"})
    EXPECT_TRUE(is_id(id)) << id;
  for (const char* id : {"", "../../etc", "a..b", ".a", "a.", "a/b", "a b", "a\nb", "a\x1b", "-"})
    EXPECT_FALSE(is_id(id)) << id;
  EXPECT_FALSE(is_id(std::string(129, 'a')));
}

TEST(DeclaredText, TakesAnyWordsAsANameButHiddenOnes) {
  EXPECT_TRUE(is_shown_name("Notes of M\xc3\xbcller (2026)"));
  for (const char* name : {"", "  ", "a\nb", "a\tb", "a\x1b[31m", "a\xe2\x80\xae", "a\xe2\x80\x8b"})
    EXPECT_FALSE(is_shown_name(name)) << name;
  EXPECT_FALSE(is_shown_name(std::string(kMostTitleBytes + 1, 'a')));
}

TEST(DeclaredText, WritesHiddenCharactersOut) {
  EXPECT_EQ(shown_text("a\r\nb\tc\x1b\xe2\x80\xae"), "a\nb\tc<U+001B><U+202E>");
  EXPECT_EQ(shown_text("a\rb"), "a<U+000D>b");
  EXPECT_EQ(shown_line("a\r\nb\tc\xe2\x80\x8b"), "a b c<U+200B>");
  EXPECT_EQ(short_line("its title", "ab", 2).value(), "ab");
  EXPECT_EQ(short_line("its title", "abc", 2).error().message, "its title is longer than 2 bytes");
  EXPECT_EQ(quoted_name("a\n" + std::string(200, 'b')), "\"a " + std::string(78, 'b') + "\"");
}

TEST(DeclaredText, LeavesTheDataOfASchemaAlone) {
  const std::string plain = R"({ "type": "object", "description": "as it is" })";
  EXPECT_EQ(shown_schema_text(plain).value(), plain);
  EXPECT_EQ(shown_schema_text("no \x1b JSON").value(), "no \x1b JSON");
  EXPECT_EQ(
      shown_schema_text(R"({"title":"a\u202e","properties":{"title":{"description":"\u001b"},)"
                        R"("b":{"enum":["\u200b"],"default":{"\u200b":"\u200b"}}}})")
          .value(),
      R"({"title":"a<U+202E>","properties":{"title":{"description":"<U+001B>"},)"
      "\"b\":{\"enum\":[\"\xe2\x80\x8b\"],\"default\":{\"\xe2\x80\x8b\":\"\xe2\x80\x8b\"}}}}");
  EXPECT_EQ(shown_schema_text(R"({"pattern":"[^\u200b]"})").value(),
            "{\"pattern\":\"[^\xe2\x80\x8b]\"}");
  const auto refused = shown_schema_text(R"({"properties":{"na\u200bme":{}}})");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("na<U+200B>me"), std::string::npos);
}

TEST(DeclaredText, MarksEveryOtherTextOfASchema) {
  // A property that is named like a keyword has a schema like any other.
  for (const char* map : {"properties", "patternProperties", "$defs", "definitions",
                          "dependentSchemas", "dependencies"}) {
    for (const char* name : {"default", "enum", "const", "examples", "pattern", "properties"}) {
      const std::string before = std::string("{\"") + map + "\":{\"" + name + "\":{";
      EXPECT_EQ(shown_schema_text(before + R"("description":"\u200b"}}})").value(),
                before + R"("description":"<U+200B>"}}})");
    }
  }
  for (const char* keyword : {"format", "$id", "markdownDescription", "$comment", "x-mine"}) {
    const std::string before = std::string("{\"") + keyword + "\":\"a";
    EXPECT_EQ(shown_schema_text(before + R"(\u202e"})").value(), before + R"(<U+202E>"})");
  }
  EXPECT_EQ(shown_schema_text(R"({"x-mine":["\u202e",{"pattern":{"title":"\u202e"}}]})").value(),
            R"({"x-mine":["<U+202E>",{"pattern":{"title":"<U+202E>"}}]})");
  EXPECT_EQ(shown_schema_text(R"({"properties":{"required":{"title":"\u202e"}}})").value(),
            R"({"properties":{"required":{"title":"<U+202E>"}}})");
}

// Marked, the name would be a different one, and nobody could give the member that is required.
TEST(DeclaredText, RefusesHiddenCharactersInEachNameOfAMember) {
  for (const char* schema :
       {R"({"required":["na\u200bme"]})", R"({"dependentRequired":{"a":["na\u200bme"]}})",
        R"({"dependencies":{"a":["na\u200bme"]}})", R"({"dependentRequired":{"na\u200bme":[]}})",
        R"({"properties":{"b":{"required":["na\u200bme"]}}})"}) {
    const auto refused = shown_schema_text(schema);
    ASSERT_FALSE(refused) << schema;
    EXPECT_NE(refused.error().message.find("\"na<U+200B>me\" names a member"), std::string::npos);
  }
}

}  // namespace
}  // namespace host::tool
