#include "skill/skill.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace host::skill {
namespace {

using config::Diagnostic;

struct Parsed {
  std::optional<Skill> skill;
  std::vector<Diagnostic> diagnostics;

  std::string told() const {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics) out += diagnostic.describe();
    return out;
  }
};

Parsed parse(std::string_view text, const std::string& folder = "invoices") {
  Parsed parsed;
  parsed.skill = parse_skill(text, "skills/" + folder + "/SKILL.md", folder, parsed.diagnostics);
  return parsed;
}

constexpr const char* kGood = "---\nname: invoices\ndescription: Files invoices.\n---\n# How\n";

// Case 55: nested metadata is kept in the front matter; only texts are metadata of the host's own.
TEST(ParseSkill, KeepsNestedMetadataAndLeavesOutNull) {
  std::vector<config::Diagnostic> diagnostics;
  const auto skill = parse_skill(
      "---\nname: a\ndescription: d\nmetadata:\n  b: two\n  none: null\n  deep:\n    c: [1, "
      "x]\n---\n"
      "Text.\n",
      "a/SKILL.md", "a", diagnostics);
  ASSERT_TRUE(skill);
  EXPECT_EQ(skill->metadata, (std::map<std::string, std::string>{{"b", "two"}}));
  EXPECT_NE(skill->front_matter.find(R"("deep":{"c":[1,"x"]})"), std::string::npos)
      << skill->front_matter;
}

TEST(Skill, IsReadWithAllItsFields) {
  const Parsed parsed = parse(
      "---\nname: invoices\ndescription: >\n  Files\n  invoices.\nlicense: MIT\ncompatibility: "
      "Needs save_csv\n"
      "metadata:\n  version: 1.0\n  author: Ada\nallowed-tools: Bash(git:*) Read\nextra: "
      "[1]\n---\n# How\n");
  ASSERT_TRUE(parsed.skill) << parsed.told();
  EXPECT_EQ(parsed.told(), "");
  EXPECT_EQ(parsed.skill->name, "invoices");
  EXPECT_EQ(parsed.skill->description, "Files invoices.\n");
  EXPECT_EQ(parsed.skill->license, "MIT");
  EXPECT_EQ(parsed.skill->compatibility, "Needs save_csv");
  EXPECT_EQ(parsed.skill->allowed_tools, "Bash(git:*) Read");
  EXPECT_EQ(parsed.skill->metadata,
            (std::map<std::string, std::string>{{"author", "Ada"}, {"version", "1.0"}}));
  EXPECT_TRUE(parsed.skill->front_matter.starts_with(R"({"name":"invoices","description":)"));
  EXPECT_TRUE(parsed.skill->front_matter.ends_with(R"("extra":[1]})"));
}

TEST(Skill, HasTheDigestOfItsFile) {
  EXPECT_EQ(parse(kGood).skill->digest.size(), 64u);
  EXPECT_NE(parse(kGood).skill->digest, parse(std::string(kGood) + "x").skill->digest);
}

// Case 51.
TEST(Skill, MayHaveAnyKindOfLineEnd) {
  for (const char* text : {"---\r\nname: invoices\r\ndescription: d\r\n---\r\nbody\r\n",
                           "---\rname: invoices\rdescription: d\r---\rbody",
                           "---  \nname: invoices\ndescription: d\n---\t\nbody"}) {
    const Parsed parsed = parse(text);
    ASSERT_TRUE(parsed.skill) << parsed.told();
    EXPECT_EQ(parsed.skill->description, "d");
    EXPECT_EQ(parsed.skill->text, text);
  }
}

// Case 51.
TEST(Skill, WithAnUnquotedColonIsReadWithAWarningAtItsPlace) {
  const Parsed parsed = parse("---\nname: invoices\ndescription: Use when: asked\n---\nbody\n");
  ASSERT_TRUE(parsed.skill) << parsed.told();
  EXPECT_EQ(parsed.skill->description, "Use when: asked");
  EXPECT_TRUE(parsed.told().starts_with("skills/invoices/SKILL.md:3:22: warning[S005]"))
      << parsed.told();
  EXPECT_NE(parsed.told().find("  3 | description: Use when: asked\n    |                      ^"),
            std::string::npos)
      << parsed.told();
}

TEST(Skill, NamedUnlikeItsFolderIsReadWithAWarning) {
  const Parsed parsed = parse("---\nname: other\ndescription: d\n---\nbody\n");
  ASSERT_TRUE(parsed.skill) << parsed.told();
  EXPECT_NE(
      parsed.told().find("2:7: warning[S008]: name: unlike the folder's, which is \"invoices\""),
      std::string::npos)
      << parsed.told();
}

TEST(Skill, WithANameThatBreaksTheFormatIsLeftOut) {
  const std::string longest(64, 'a');
  const std::string longer(65, 'a');
  for (const std::string& name : std::vector<std::string>{
           "Invoices", "two--hyphens", "-x", "x-", "a b", "../../etc/cron.d/x", "/etc/passwd",
           "a/b", "..", ".", "a_b", "ä", longer, "\"a\\u202Eb\"", "\"a\\eb\"", "\"a\\0b\""}) {
    const Parsed parsed = parse("---\nname: " + name + "\ndescription: d\n---\nbody\n");
    EXPECT_FALSE(parsed.skill) << name;
    EXPECT_NE(parsed.told().find("2:7: error[S006]: name: must be 1 to 64"), std::string::npos)
        << parsed.told();
  }
  EXPECT_TRUE(is_regular_name(longest));
  EXPECT_TRUE(is_regular_name("a-1-b"));
}

TEST(Skill, WithAKeyThatLooksMisspeltIsReadWithAWarningAtTheKey) {
  const Parsed parsed = parse(
      "---\nname: invoices\ndescription: d\nlicence: MIT\nallowed_tools: Read\nversion: 2\n"
      "model: large\n---\nbody\n");
  ASSERT_TRUE(parsed.skill) << parsed.told();
  ASSERT_EQ(parsed.diagnostics.size(), 2u) << parsed.told();
  EXPECT_TRUE(
      parsed.diagnostics[0].headline().ends_with("4:1: warning[S012]: unknown key \"licence\""));
  EXPECT_EQ(parsed.diagnostics[0].help, "did you mean \"license\"?");
  EXPECT_EQ(parsed.diagnostics[1].line, 5u);
  EXPECT_EQ(parsed.diagnostics[1].help, "did you mean \"allowed-tools\"?");
}

TEST(Skill, WithValuesOfAWrongTypeSaysSoAtEach) {
  const Parsed parsed = parse(
      "---\nname: invoices\ndescription: 12\nlicense: true\ncompatibility: [a]\n"
      "metadata:\n  a: [1]\n  b: 2\n---\nbody\n");
  ASSERT_TRUE(parsed.skill) << parsed.told();
  std::vector<std::uint32_t> lines;
  for (const Diagnostic& one : parsed.diagnostics) lines.push_back(one.line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{3, 4, 5, 7})) << parsed.told();
}

TEST(Skill, WithKeysThatHaveNoValueSaysSoAtTheKey) {
  const Parsed parsed = parse("---\nname:\ndescription:\n---\nbody\n");
  EXPECT_FALSE(parsed.skill);
  ASSERT_EQ(parsed.diagnostics.size(), 2u) << parsed.told();
  EXPECT_EQ(parsed.diagnostics[0].line, 2u);
  EXPECT_EQ(parsed.diagnostics[1].line, 3u);
}

TEST(Skill, ShowsHiddenCharactersOfItsFieldsAsMarks) {
  const Parsed parsed = parse(
      "---\nname: invoices\ndescription: \"a\\e[31mb\\u202Ec\"\n\"ke\\u200By\": \"\\x9B\"\n---\n"
      "body\n");
  ASSERT_TRUE(parsed.skill) << parsed.told();
  EXPECT_EQ(
      parsed.skill->front_matter,
      R"({"name":"invoices","description":"a<U+001B>[31mb<U+202E>c","ke<U+200B>y":"<U+009B>"})");
}

TEST(Skill, WithLongTextsIsReadWithAWarning) {
  const Parsed parsed =
      parse("---\nname: invoices\ndescription: " + std::string(1025, 'x') +
            "\ncompatibility: " + std::string(501, 'y') + "\nmetadata: [1]\n---\nbody\n");
  ASSERT_TRUE(parsed.skill);
  EXPECT_EQ(parsed.diagnostics.size(), 3u) << parsed.told();
}

struct Bad {
  const char* text;
  const char* headline;  // from the line on
};

class BadSkills : public ::testing::TestWithParam<Bad> {};

// Case 51.
TEST_P(BadSkills, AreLeftOutWithAReason) {
  const Parsed parsed = parse(GetParam().text);
  EXPECT_FALSE(parsed.skill);
  ASSERT_FALSE(parsed.diagnostics.empty());
  const std::string wanted = "skills/invoices/SKILL.md" + std::string(GetParam().headline);
  EXPECT_NE(parsed.told().find(wanted), std::string::npos) << parsed.told();
}

INSTANTIATE_TEST_SUITE_P(
    Skill, BadSkills,
    ::testing::Values(
        Bad{"", ":1:1: error[S003]: no front matter"}, Bad{"# Only text\n", ":1:1: error[S003]"},
        Bad{"\n---\nname: a\ndescription: d\n---\nb\n", ":1:1: error[S003]"},
        Bad{"---\nname: a\ndescription: d\n", ":1:1: error[S003]: the front matter has no end"},
        Bad{"----\nname: a\ndescription: d\n----\nb\n", ":1:1: error[S003]"},
        Bad{"---\n---\nbody\n", ": error[S006]: name is missing"},
        Bad{"---\nname: invoices\n---\nbody\n", ": error[S007]: description is missing"},
        Bad{"---\nname: invoices\ndescription: ' '\n---\nbody\n", ":3:14: error[S007]"},
        Bad{"---\nname: invoices\ndescription: [a]\n---\nbody\n", ":3:14: error[S007]"},
        Bad{"---\nname: 123\ndescription: d\n---\nbody\n",
            ":2:7: error[S006]: name: expected a text"},
        Bad{"---\nname: [a]\ndescription: d\n---\nbody\n", ":2:7: error[S006]"},
        Bad{"---\nname: \"a\\nb\"\ndescription: d\n---\nbody\n", ":2:7: error[S006]"},
        Bad{"---\n- a\n- b\n---\nbody\n", ":2:1: error[S004]: the front matter is no map"},
        Bad{"---\nname: [a\ndescription: d\n---\nbody\n", ":3:12: error[S004]"},
        Bad{"---\nname: a\nname: b\ndescription: d\n---\nbody\n", ":3:1: error[S004]"},
        Bad{"---\nname: &a b\ndescription: *a\n---\nbody\n", ":2:7: error[S004]"},
        Bad{"---\nname: invoices\ndescription: d\n---\n \n", ": error[S010]: no instructions"},
        Bad{"---\nname: invoices\ndescription: \xff\n---\nbody\n", ": error[S002]: not UTF-8"}));

TEST(Skill, TooLargeIsLeftOut) {
  const Parsed parsed = parse(kGood + std::string(kMaxFileBytes, 'x'));
  EXPECT_FALSE(parsed.skill);
  EXPECT_NE(parsed.told().find("error[S001]: larger than 1 MiB"), std::string::npos)
      << parsed.told();
}

TEST(Skill, TellsAllFaultsAtOnce) {
  const Parsed parsed = parse("---\nversion: 1\n---\n");
  EXPECT_EQ(parsed.diagnostics.size(), 3u) << parsed.told();
}

}  // namespace
}  // namespace host::skill
