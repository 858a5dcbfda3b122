#include "checkout/fetch.h"

#include <gmock/gmock.h>

namespace host::checkout {
namespace {

using testing::HasSubstr;

const std::string kOne(40, '1');
const std::string kTwo(40, '2');

TreeEntry blob(std::string path, std::uint64_t bytes = 1) {
  return {"100644", "blob", kOne, bytes, std::move(path)};
}

TEST(RemoteOf, FindsTheExactNameAndRefusesTwoOfOneName) {
  const std::string listing =
      kOne + "\trefs/heads/main\n" + kTwo + "\trefs/remotes/refs/heads/main\n";
  EXPECT_EQ(remote_of(listing, "main")->id, kOne);
  EXPECT_EQ(remote_of(listing, "refs/heads/main")->name, "refs/heads/main");
  EXPECT_EQ(remote_of(kTwo + "\tHEAD\n", "")->id, kTwo);
  EXPECT_THAT(remote_of("", "main").error().message, HasSubstr("no branch and no tag \"main\""));
  const auto both = remote_of(kOne + "\trefs/heads/v1\n" + kTwo + "\trefs/tags/v1\n", "v1");
  EXPECT_THAT(both.error().message, HasSubstr("a branch and a tag \"v1\""));
  for (const char* const garbage : {"x", "zzz\trefs/heads/main\n", "\n"})
    EXPECT_EQ(remote_of(garbage, "main").error().kind, ErrorKind::Io) << garbage;
}

TEST(EntriesOf, ReadsWhatGitPrintsAndNothingElse) {
  const std::string listing = "100644 blob " + kOne + "      12\ta/SKILL.md" + '\0' +
                              "160000 commit " + kTwo + "       -\ta/sub" + '\0';
  const auto entries = entries_of(listing);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(entries->at(0).path, "a/SKILL.md");
  EXPECT_EQ(entries->at(0).bytes, 12u);
  EXPECT_EQ(entries->at(1).type, "commit");
  for (const std::string& garbage :
       {std::string("x"), "100644 blob " + kOne + " 12 a" + '\0',
        "100644 blob short 12\ta" + std::string(1, '\0'), "100644 blob " + kOne + " -\ta" + '\0',
        "100644 blob " + kOne + " 99999999999999999999\ta" + '\0', listing + "rest"}) {
    EXPECT_FALSE(entries_of(garbage)) << garbage;
  }
}

// Case 56 is about ZIP files, which the host does not read. A Git repository can have the same
// faults.
TEST(Select, TakesRegularFilesOfFoldersWithASkillFile) {
  auto selection =
      select({blob("README.md"), blob("a/SKILL.md"), blob("a/deep/x"), blob("a/.hidden"),
              blob(".git-stuff/SKILL.md"), blob("none/x"), blob("../SKILL.md")},
             {});
  ASSERT_TRUE(selection) << selection.error().message;
  ASSERT_EQ(selection->skills.size(), 1u);
  EXPECT_EQ(selection->skills[0].first, "a");
  ASSERT_EQ(selection->skills[0].second.size(), 2u);
  EXPECT_EQ(selection->skills[0].second[1].path, "deep/x");
  EXPECT_TRUE(selection->left_out.empty());
}

TEST(Select, LeavesOutWhatTheHostDoesNotServeAndSaysWhy) {
  auto entries = std::vector<TreeEntry>{
      blob("a/SKILL.md"),
      {"120000", "blob", kOne, 3, "a/link"},
      {"160000", "commit", kOne, 0, "a/sub"},
      blob("a/x/../y"),  // as hidden, so without a word
      blob("a/bad\nname"),
      blob("a/\xff"),
      blob("a/1/2/3/4/5/6/deep"),
      blob("a/large", (1u << 20u) + 1),
      {"120000", "blob", kOne, 3, "b/SKILL.md"},
  };
  auto selection = select(std::move(entries), {});
  ASSERT_TRUE(selection) << selection.error().message;
  ASSERT_EQ(selection->skills.size(), 1u);
  EXPECT_EQ(selection->skills[0].second.size(), 1u);
  std::string told;
  for (const LeftOut& one : selection->left_out)
    told += one.skill + (one.is_refused ? " refused: " : ": ") + one.reason + "\n";
  EXPECT_THAT(
      told,
      HasSubstr(
          "a: 1 file is left out because symbolic links are not followed: for example link\n"));
  EXPECT_THAT(
      told,
      HasSubstr("a: 1 file is left out because submodules are not pulled: for example sub\n"));
  EXPECT_THAT(told, HasSubstr("a: 2 files are left out because its name is not valid\n"));
  EXPECT_THAT(told,
              HasSubstr("because it is in too deep a folder: for example 1/2/3/4/5/6/deep\n"));
  EXPECT_THAT(told, HasSubstr("because it has more than 1 MiB: for example large\n"));
  EXPECT_THAT(told, HasSubstr("b refused: its SKILL.md: symbolic links are not followed\n"));
}

TEST(Select, KeepsToTheLimits) {
  config::SkillRepository from;
  from.max_files = 2;
  from.max_bytes = 10;
  EXPECT_TRUE(select({blob("a/SKILL.md", 5), blob("b/SKILL.md", 5)}, from));
  EXPECT_THAT(select({blob("a/SKILL.md", 5), blob("b/SKILL.md", 6)}, from).error().message,
              HasSubstr("2 files and 11 bytes"));
  EXPECT_FALSE(select({blob("a/SKILL.md"), blob("a/x"), blob("a/y")}, from));
  EXPECT_THAT(select({blob("README.md")}, from).error().message, HasSubstr("has a SKILL.md"));
  std::vector<TreeEntry> many{blob("a/SKILL.md")};
  for (int i = 0; i < 600; ++i) many.push_back(blob("a/" + std::to_string(i)));
  const auto selection = select(std::move(many), {});
  ASSERT_TRUE(selection);
  EXPECT_TRUE(selection->skills.empty());
  EXPECT_THAT(selection->left_out.at(0).reason, HasSubstr("more than 511 files"));
}

}  // namespace
}  // namespace host::checkout
