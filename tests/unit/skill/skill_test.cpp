#include "skill/skill.h"

#include <gtest/gtest.h>

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

TEST(Skill, UnlikeTheRulesForNamesIsReadWithAWarning) {
  struct Case {
    const char* name;
    const char* headline;
  };
  const std::string longest(64, 'a');
  const std::string longer(65, 'a');
  const Case cases[] = {
      {"other", "2:7: warning[S008]: name: unlike the folder's, which is \"invoices\""},
      {"Invoices", "warning[S008]: name: expected 1 to 64"},
      {"two--hyphens", "warning[S008]: name: expected"},
      {"-x", "warning[S008]: name: expected"},
      {"a b", "warning[S008]: name: expected"},
      {"../../etc", "warning[S008]: name: expected"},
      {longer.c_str(), "warning[S008]: name: expected"}};
  for (const Case& it : cases) {
    const Parsed parsed =
        parse("---\nname: " + std::string(it.name) + "\ndescription: d\n---\nbody\n");
    ASSERT_TRUE(parsed.skill) << parsed.told();
    EXPECT_NE(parsed.told().find(it.headline), std::string::npos) << parsed.told();
    EXPECT_EQ(parsed.skill->folder, "invoices");
  }
  EXPECT_TRUE(is_regular_name(longest));
  EXPECT_TRUE(is_regular_name("a-1-b"));
  EXPECT_FALSE(is_regular_name("ä"));
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
        Bad{"---\nname: a\ndescription: d\n", ":1:1: error[S003]"},
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
