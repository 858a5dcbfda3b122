#include "yaml/json.h"

#include <gmock/gmock.h>

namespace host::yaml {
namespace {

using ::testing::HasSubstr;

std::string json_of(const std::string& yaml) {
  const auto json = to_json_text(yaml);
  return json ? *json : "fault: " + json.error().message;
}

TEST(YamlJson, HasMapsListsAndTexts) {
  EXPECT_EQ(
      json_of("openapi: 3.0.3\npaths:\n  /a/{b}:\n    get: {tags: [x, 'y'], ok: yes}\n  /c: {}\n"),
      R"({"openapi":"3.0.3","paths":{"/a/{b}":{"get":{"tags":["x","y"],"ok":"yes"}},"/c":{}}})");
  EXPECT_EQ(json_of("a: |\n  one\n  \"two\"\nb: >-\n  three\n  four\nc: [[], [1, [2]]]\n"),
            R"({"a":"one\n\"two\"\n","b":"three four","c":[[],[1,[2]]]})");
  EXPECT_EQ(json_of("'200': {}\n200: {}\nnull: 1\n? a\n: b\n"),
            R"({"200":{},"200":{},"null":1,"a":"b"})");
  EXPECT_EQ(json_of("--- # a comment\n- a: 1\n  b:\n- \n...\n"), R"([{"a":1,"b":null},null])");
  EXPECT_EQ(json_of(""), "null");
}

TEST(YamlJson, HasTheTypesOfTheCoreSchema) {
  for (const auto& [yaml, json] :
       std::initializer_list<std::pair<const char*, const char*>>{{"~", "null"},
                                                                  {"Null", "null"},
                                                                  {"TRUE", "true"},
                                                                  {"false", "false"},
                                                                  {"0", "0"},
                                                                  {"-012", "-12"},
                                                                  {"+7", "7"},
                                                                  {"0x1F", "31"},
                                                                  {"0o17", "15"},
                                                                  {"1.50", "1.50"},
                                                                  {".5", "0.5"},
                                                                  {"-.5e3", "-0.5e3"},
                                                                  {"1.", "1.0"},
                                                                  {"6E-2", "6E-2"},
                                                                  {"'12'", "\"12\""},
                                                                  {"\"true\"", "\"true\""},
                                                                  {"!!str 12", "\"12\""},
                                                                  {"! 12", "\"12\""},
                                                                  {".inf", "\".inf\""},
                                                                  {"1.2.3", "\"1.2.3\""},
                                                                  {"0x", "\"0x\""},
                                                                  {"1e", "\"1e\""},
                                                                  {"-", "[null]"},
                                                                  {"2001-01-01", "\"2001-01-01\""},
                                                                  {"0o8", "\"0o8\""},
                                                                  {".", "\".\""},
                                                                  {"+", "\"+\""},
                                                                  {"no", "\"no\""}}) {
    EXPECT_EQ(json_of(yaml), json) << yaml;
  }
}

TEST(YamlJson, SaysWhatItDoesNotRead) {
  std::string many;
  for (int i = 0; i < 200; ++i) many += "- ";
  EXPECT_THAT(json_of("a: &x [1]\nb: *x\n"), HasSubstr("line 2: an alias"));
  EXPECT_EQ(json_of("a: &x 1\n"), R"({"a":1})");
  EXPECT_THAT(json_of("a: !own 1\n"), HasSubstr("line 1: a tag (!own)"));
  EXPECT_THAT(json_of("[a]: 1\n"), HasSubstr("a key that is a map or a list"));
  EXPECT_THAT(json_of("a: 1\n---\nb: 2\n"), HasSubstr("a second document"));
  EXPECT_THAT(json_of("a: [1\nb: 2\n"), HasSubstr("line "));
  EXPECT_THAT(json_of(many), HasSubstr("100 levels"));
  EXPECT_THAT(json_of(std::string(kMostJsonBytes + 1, 'a')), HasSubstr("bytes of YAML"));
}

}  // namespace
}  // namespace host::yaml
