// Searches that read all files below a folder.
#include <gmock/gmock.h>

#include "support.h"

namespace host::permission::test {
namespace {

using ::testing::HasSubstr;

class SearchedFolder : public ::testing::Test {
 protected:
  SearchedFolder() {
    folder_.file("plain/a.txt");
    folder_.file("plain/deeper/b.txt");
    folder_.file("secret/.env");
    folder_.file("repository/.git/config");
    folder_.file("repository/src/c.txt");
  }
  Place at(std::string_view name = "") const {
    return {folder_.text() + "/home", folder_.text() + "/" + std::string(name)};
  }
  Decision decide_in(std::string_view name, std::string_view command, Mode mode = Mode::Default,
                     std::vector<Rule> rules = {}) const {
    const Place place = at(name);
    return decide_command(engine(mode, std::move(rules), {place.cwd}, place), command, {}, place);
  }

  TemporaryFolder folder_;
};

TEST_F(SearchedFolder, IsAskedAboutWhereADangerousPathLiesBelow) {
  for (const std::string_view command :
       {"grep -rn SECRET .", "grep -rn SECRET", "grep -h . -r repository/..", "grep -r x secret",
        "egrep -r x secret", "fgrep --recursive x secret", "rg x", "rg x secret",
        "rg --files secret", "grep -e x -r secret", "grep -re x", "grep -r x plain secret",
        "grep -r x *", "grep -r * ", "cd secret; grep -r x .", "grep -r x sec*", "ls; grep -r x .",
        "cat plain/a.txt | grep -r x .", "grep -rf plain/a.txt"}) {
    for (const Mode mode : {Mode::Default, Mode::AcceptEdits}) {
      EXPECT_EQ(decide_in("", command, mode).behavior, Behavior::Ask) << command;
    }
    EXPECT_EQ(decide_in("", command, Mode::Explore).behavior, Behavior::Deny) << command;
  }
  EXPECT_THAT(decide_in("", "grep -r x secret").reason,
              HasSubstr("it searches a folder that holds .env"));
}

// Shells differ in whether these patterns match `..`.
TEST_F(SearchedFolder, IsAskedAboutWhereAPatternMayLeadAbove) {
  for (const std::string_view command :
       {"grep -r x ..*", "grep -r x .?", "rg x .[.]", "grep -r x ./..*", "egrep -r x plain ..*",
        "rg -uuu . .?", "cd ..; grep -r x src/..*"}) {
    EXPECT_EQ(decide_in("repository/src", command).behavior, Behavior::Ask) << command;
    EXPECT_EQ(decide_in("repository/src", command, Mode::Explore).behavior, Behavior::Deny)
        << command;
  }
  EXPECT_EQ(decide_in("tmp", "grep -r x ..*").behavior, Behavior::Ask);
  EXPECT_EQ(decide_in("repository/src", "grep -r x c*").behavior, Behavior::Allow);
}

// A file's name may be an option that names another file.
TEST_F(SearchedFolder, IsAskedAboutWhereAWildcardMayBecomeAnOption) {
  folder_.file("options/--file=.env");
  folder_.file("options/a.txt");
  EXPECT_EQ(decide_in("options", "rg --file=* a.txt").behavior, Behavior::Ask);
  const std::vector<Rule> rules = {allow("shell", "grep:*")};
  EXPECT_EQ(decide_in("options", "grep x *", Mode::Default, rules).behavior, Behavior::Ask);
  folder_.file("cluster/-f.env");
  EXPECT_EQ(decide_in("cluster", "grep x *", Mode::Default, rules).behavior, Behavior::Ask);
  EXPECT_EQ(decide_in("plain", "grep x *", Mode::Default, rules).behavior, Behavior::Allow);
}

TEST_F(SearchedFolder, IsReadUnaskedWhereNoneDoes) {
  for (const std::string_view command :
       {"grep -rn SECRET plain", "grep -r x plain/*", "rg x plain", "grep x plain/a.txt",
        "grep -r x repository/src", "cd plain; rg x deeper", "ls -R .", "find . -name x",
        "rg x repository/src/c.txt", "tree -a ."}) {
    EXPECT_EQ(decide_in("", command).behavior, Behavior::Allow) << command;
  }
  EXPECT_EQ(decide_in("plain", "grep -r x").behavior, Behavior::Allow);
}

TEST_F(SearchedFolder, IsNotReadBesideAnAllowedCommand) {
  const std::vector<Rule> rules = {allow("shell", "make:*")};
  EXPECT_EQ(decide_in("", "make; grep -r x .", Mode::Default, rules).behavior, Behavior::Ask);
  EXPECT_EQ(decide_in("", "make; grep -r x plain", Mode::Default, rules).behavior, Behavior::Allow);
  const std::vector<Rule> both = {allow("shell", "grep:*")};
  EXPECT_EQ(decide_in("", "grep -r x .", Mode::Default, both).behavior, Behavior::Allow)
      << "a rule names the program";
}

TEST_F(SearchedFolder, WithMoreFilesThanAreLookedAtIsAskedAbout) {
  for (int i = 0; i < 4097; ++i) folder_.file("many/" + std::to_string(i));
  const Decision decision = decide_in("", "grep -r x many");
  EXPECT_EQ(decision.behavior, Behavior::Ask);
  EXPECT_THAT(decision.reason, HasSubstr("too many files"));
}

TEST_F(SearchedFolder, StaysACommandThatOnlyReads) {
  EXPECT_TRUE(decide_in("", "grep -r x .").judged_to_read) << "approved, it is held to reading";
}

}  // namespace
}  // namespace host::permission::test
