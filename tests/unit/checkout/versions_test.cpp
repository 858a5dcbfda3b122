#include "checkout/versions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "support/skill_tree.h"

namespace host::checkout {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kNow{0};

class SkillVersions : public ::testing::Test {
 protected:
  SkillVersions() : versions_(tree_.root() / "team") {}

  // As a pull does it.
  std::string add(const PulledSkill& skill) {
    const auto lock = versions_.lock(kNow);
    EXPECT_TRUE(lock);
    const auto work = versions_.fresh_work();
    EXPECT_TRUE(work);
    std::string manifest = manifest_of(skill);
    const auto added = versions_.add(skill, manifest);
    EXPECT_TRUE(added) << (added ? "" : added.error().message);
    EXPECT_TRUE(versions_.publish());
    return manifest;
  }

  skill::SkillTree tree_;
  Versions versions_;
};

const PulledSkill kSkill{"pdf", {{"SKILL.md", "text"}, {"scripts/run.py", "print(1)"}}};

TEST_F(SkillVersions, AreNamedByTheDigestOfAllFiles) {
  const std::string manifest = add(kSkill);
  EXPECT_TRUE(versions_.has(manifest));
  EXPECT_TRUE(fs::exists(versions_.folder_of(manifest) / "scripts/run.py"));
  for (PulledSkill other :
       {PulledSkill{"pdf", {{"SKILL.md", "texT"}, {"scripts/run.py", "print(1)"}}},
        PulledSkill{"pdf", {{"SKILL.md", "text"}, {"scripts/run.PY", "print(1)"}}},
        PulledSkill{"pdf", {{"SKILL.md", "text"}}}}) {
    EXPECT_NE(version_of(manifest_of(other)), version_of(manifest));
  }
  // The folder in the repository is no part of it.
  EXPECT_EQ(manifest_of({"word", kSkill.files}), manifest);
}

// Until then a pull that is stopped leaves nothing that counts as a version.
TEST_F(SkillVersions, AreThereOnceAllOfAPullArePublished) {
  const auto lock = versions_.lock(kNow);
  auto work = versions_.fresh_work();
  ASSERT_TRUE(work);
  const PulledSkill other{"word", {{"SKILL.md", "other"}}};
  for (const PulledSkill& skill : {kSkill, other})
    ASSERT_TRUE(versions_.add(skill, manifest_of(skill)));
  EXPECT_FALSE(versions_.has(manifest_of(kSkill)));
  EXPECT_TRUE(fs::is_empty(tree_.root() / "team/versions"));
  work->reset();  // the pull was stopped, and another one begins
  work = versions_.fresh_work();
  ASSERT_TRUE(work);
  ASSERT_TRUE(versions_.add(other, manifest_of(other)));
  ASSERT_TRUE(versions_.publish());
  EXPECT_FALSE(versions_.has(manifest_of(kSkill)));
  EXPECT_TRUE(versions_.has(manifest_of(other)));
}

TEST_F(SkillVersions, OfACopiedFolderAreOneVersion) {
  const auto lock = versions_.lock(kNow);
  const auto work = versions_.fresh_work();
  ASSERT_TRUE(work);
  const std::string manifest = manifest_of(kSkill);
  ASSERT_TRUE(versions_.add(kSkill, manifest));
  ASSERT_TRUE(versions_.add({"pdf-old", kSkill.files}, manifest));
  ASSERT_TRUE(versions_.publish());
  EXPECT_TRUE(versions_.has(manifest));
}

TEST_F(SkillVersions, LeaveNoFilesOfAPullThatFails) {
  const auto lock = versions_.lock(kNow);
  const fs::path folder = tree_.root() / "team/work";
  {
    const auto work = versions_.fresh_work();
    ASSERT_TRUE(work);
    const PulledSkill twice{"pdf", {{"SKILL.md", "text"}, {"SKILL.md", "text"}}};
    EXPECT_FALSE(versions_.add(twice, manifest_of(twice)));
    EXPECT_TRUE(fs::exists(folder));
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(SkillVersions, AreNotThereOnceAFileIsChangedAddedOrRemoved) {
  const std::string manifest = add(kSkill);
  const fs::path folder = versions_.folder_of(manifest);
  const std::string inside = "team/versions/" + version_of(manifest) + "/";
  tree_.write(inside + "SKILL.md", "tex!");
  EXPECT_FALSE(versions_.has(manifest));
  add(kSkill);
  EXPECT_TRUE(versions_.has(manifest));
  tree_.write(inside + "more", "x");
  EXPECT_FALSE(versions_.has(manifest));
  fs::remove(folder / "more");
  EXPECT_TRUE(versions_.has(manifest));
  fs::remove(folder / "scripts/run.py");
  EXPECT_FALSE(versions_.has(manifest));
}

TEST_F(SkillVersions, AreRemovedUnlessNamedOrHeldElsewhere) {
  const std::string one = add(kSkill);
  const std::string two = add({"pdf", {{"SKILL.md", "new"}}});
  auto other = std::make_unique<Versions>(tree_.root() / "team");
  other->hold();
  versions_.remove_all_but({version_of(two)});
  EXPECT_TRUE(versions_.has(one));
  other.reset();
  versions_.remove_all_but({version_of(two)});
  EXPECT_FALSE(versions_.has(one));
  EXPECT_TRUE(versions_.has(two));
}

TEST_F(SkillVersions, AreAddedByOneProcessAtATime) {
  Versions other(tree_.root() / "team");
  {
    const auto lock = versions_.lock(kNow);
    ASSERT_TRUE(lock);
    EXPECT_EQ(other.lock(kNow).error().kind, ErrorKind::Unavailable);
  }
  EXPECT_TRUE(other.lock(kNow));
}

TEST_F(SkillVersions, RememberHowTheLastPullEnded) {
  EXPECT_EQ(versions_.last_pull().at, "");
  ASSERT_TRUE(versions_.lock(kNow));
  ASSERT_TRUE(versions_.record({"p", "r", "c", "t", "f", "ft", {"a", "b"}}));
  ASSERT_TRUE(versions_.record({"p2", "r", "c", "t", "f", "ft", {"a", "b"}}));
  const LastPull last = Versions(tree_.root() / "team").last_pull();
  EXPECT_EQ(last.place, "p2");
  EXPECT_EQ(last.failed_at, "ft");
  EXPECT_EQ(last.left_out, (std::vector<std::string>{"a", "b"}));
  tree_.write("team/pull.json", "{garbage");
  EXPECT_EQ(versions_.last_pull().place, "");
}

}  // namespace
}  // namespace host::checkout
