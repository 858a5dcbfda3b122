#include "yaml/tree.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/cpu_time.h"

namespace host::yaml {
namespace {

std::string json_of_tree(std::string_view text) {
  Fault error;
  const auto parsed = parse_tree(text, error);
  return parsed ? to_json(*parsed) : "error: " + error.message;
}

std::string error_of(std::string_view text) {
  Fault error;
  if (parse_tree(text, error)) return "";
  return std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message;
}

// Case 51.
TEST(YamlTree, KeepsOrderAndKinds) {
  EXPECT_EQ(
      json_of_tree(
          "b: text\na: 'no'\nn: 12\nf: -1.5\nt: true\ne:\nl: [x, 1]\nm:\n  k: v\np: 012\n"),
      R"({"b":"text","a":"no","n":12,"f":-1.5,"t":true,"e":null,"l":["x",1],"m":{"k":"v"},"p":"012"})");
}

TEST(YamlTree, OfNothingIsAnEmptyMap) {
  EXPECT_EQ(json_of_tree(""), "{}");
  EXPECT_EQ(json_of_tree("# only a remark\n"), "{}");
}

TEST(YamlTree, TakesTextsOverSeveralLines) {
  EXPECT_EQ(json_of_tree("d: >\n  one\n  two\nx: |\n  a\n  b\n"),
            R"({"d":"one two\n","x":"a\nb\n"})");
}

TEST(YamlTree, RefusesAnchorsAliasesTagsAndFurtherDocuments) {
  EXPECT_NE(error_of("a: &x 1\n").find("anchors"), std::string::npos);
  EXPECT_NE(error_of("a: *x\n"), "");
  EXPECT_NE(error_of("a: !!python/object:os.system x\n").find("tags"), std::string::npos);
  EXPECT_NE(error_of("a: !!str 1\n").find("tags"), std::string::npos);
  EXPECT_NE(error_of("a: 1\n---\nb: 2\n").find("second document"), std::string::npos);
  EXPECT_NE(error_of("a: 1\n...\nb: 2\n"), "");
}

TEST(YamlTree, RefusesDuplicateKeysAtTheirPlace) {
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"), "3:1: a second key \"a\"");
  EXPECT_EQ(error_of("m:\n  a: 1\n  \"a\": 3\n"), "3:3: a second key \"a\"");
  EXPECT_NE(error_of("? [a]\n: 1\n").find("a key has to be a text"), std::string::npos);
}

// Case 51.
TEST(YamlTree, BoundsDepthKeysAndSize) {
  std::string deep = "a: ";
  for (int i = 0; i < 7; ++i) deep += "[";
  for (int i = 0; i < 7; ++i) deep += "]";
  EXPECT_EQ(error_of(deep), "");
  EXPECT_NE(error_of("a: [[[[[[[[]]]]]]]]").find("8 levels"), std::string::npos);

  std::string many;
  for (int i = 0; i < 256; ++i) many += "k" + std::to_string(i) + ": x\n";
  EXPECT_EQ(error_of(many), "");
  EXPECT_NE(error_of(many + "k256: x\n").find("256 keys"), std::string::npos);

  EXPECT_NE(error_of("a: " + std::string(70'000, 'x')).find("64 KiB"), std::string::npos);
}

// Expansions, deep nests and texts made to keep a parser busy end at once.
TEST(YamlTree, SurvivesBombs) {
  std::string billion = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    billion +=
        std::string(1, c) + ": &" + c + " [*" + before + ",*" + before + ",*" + before + "]\n";
  }
  const std::string bombs[] = {
      billion,
      std::string(60'000, '['),
      std::string(60'000, '{'),
      "a: " + std::string(60'000, '['),
      std::string(30'000, '-') + " ",
      std::string(60'000, '?'),
      std::string(60'000, '"'),
      std::string(60'000, '\''),
      std::string(60'000, ' '),
      std::string(60'000, '\t'),
      std::string(60'000, '&'),
      std::string(60'000, '!'),
      "a: |" + std::string(60'000, '9'),
      "%" + std::string(60'000, 'Y'),
      "a: \"\\x\"",
      "a: \"\\uD800\"",
      std::string("a: \0b", 5),
  };
  const test::CpuTime cpu;
  for (const std::string& bomb : bombs) json_of_tree(bomb);
  for (const char* unit : {"- ", "? ", "a: ", "[a, ", "{a: ", "- - ", "a:\n", "'a' "}) {
    std::string bomb;
    while (bomb.size() < 60'000) bomb += unit;
    json_of_tree(bomb);
  }
  EXPECT_LT(cpu.taken(), std::chrono::seconds(60));
}

}  // namespace
}  // namespace host::yaml
