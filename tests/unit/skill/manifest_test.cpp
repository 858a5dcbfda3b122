#include "skill/manifest.h"

#include "base/digest.h"
#include "skill/folder_repository.h"
#include "support/skill_tree.h"

namespace host::skill {
namespace {

class SkillManifest : public ::testing::Test {
 protected:
  SkillManifest() {
    tree_.add("a");
    tree_.write("a/references/one.md", "one");
    tree_.write("a/references/nested/SKILL.md", "nested");
    config::Skills skills;
    skills.dirs = {tree_.root()};
    catalog_ = std::make_unique<Catalog>(folder_repositories(skills), Options{});
    manifests_ = std::make_unique<Manifests>(*catalog_);
  }
  Manifest manifest() { return manifests_->of(*catalog_->find("a")); }
  static std::string digest_of(std::string_view bytes) { return to_hex(sha256(bytes)); }

  SkillTree tree_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Manifests> manifests_;
};

TEST_F(SkillManifest, NamesEveryFileWithSizeAndDigest) {
  const Manifest all = manifest();
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.files.size(), 3u);
  EXPECT_EQ(all.files[0].path, "SKILL.md");
  EXPECT_EQ(all.files[0].digest, digest_of(catalog_->find("a")->text));
  EXPECT_EQ(all.files[1].path, "references/nested/SKILL.md");
  EXPECT_EQ(all.files[2].path, "references/one.md");
  EXPECT_EQ(all.files[2].size, 3u);
  EXPECT_EQ(all.files[2].digest, digest_of("one"));
}

TEST_F(SkillManifest, FollowsAnEditAtOnce) {
  for (int i = 0; i < 50; ++i) {  // faster than file times advance, and of one length
    const std::string word = "w" + std::to_string(10 + i);
    tree_.write("a/references/one.md", word);
    EXPECT_EQ(manifest().files[2].digest, digest_of(word));
  }
  tree_.add("a", "Does things.", "Otherwise.\n");
  EXPECT_EQ(manifest().files[0].digest, digest_of(catalog_->find("a")->text));
  tree_.write("a/new.txt", "");
  EXPECT_EQ(manifest().files.size(), 4u);
}

TEST_F(SkillManifest, SaysWhereAFileCannotBeServed) {
  tree_.write("a/large.bin", std::string(kMaxFileBytes + 1, 'x'));
  EXPECT_FALSE(manifest().complete);
  EXPECT_EQ(manifest().files.size(), 3u);
}

TEST_F(SkillManifest, StaysBelowTheBoundOfOneSkill) {
  for (int i = 0; i < 17; ++i) {
    tree_.write("a/part" + std::to_string(i), std::string(kMaxFileBytes, 'x'));
  }
  const Manifest all = manifest();
  EXPECT_FALSE(all.complete);
  std::uint64_t bytes = 0;
  for (const ManifestFile& file : all.files) bytes += file.size;
  EXPECT_LE(bytes, 16u << 20u);
}

}  // namespace
}  // namespace host::skill
