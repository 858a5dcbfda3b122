// Trees that somebody made to hurt: each is bounded, and a good skill beside them is served.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "skill/folder_repository.h"
#include "support/cpu_time.h"
#include "support/skill_tree.h"

namespace host::skill {
namespace {

namespace fs = std::filesystem;

std::string told(const Listing& listing) {
  std::string out;
  for (const auto& diagnostic : listing.diagnostics) out += diagnostic.describe();
  return out;
}

class HostileTree : public ::testing::Test {
 protected:
  HostileTree() { tree_.add("good"); }

  // Lists it and holds that the good one is there, alone.
  Listing look() {
    Listing listing = FolderRepository(tree_.root()).list();
    EXPECT_EQ(listing.skills.size(), 1u) << told(listing);
    for (const auto& skill : listing.skills) EXPECT_EQ(skill->name, "good");
    return listing;
  }
  SkillTree tree_;
};

TEST_F(HostileTree, WithSymlinksThatLeadInCirclesOrOut) {
  fs::create_directory_symlink(tree_.root(), tree_.root() / "good/circle");
  fs::create_directory_symlink(".", tree_.root() / "self");
  fs::create_directory_symlink("good", tree_.root() / "twin");
  fs::create_directory_symlink("/", tree_.root() / "rootlink");
  fs::create_directories(tree_.root() / "linked");
  fs::create_symlink("/etc/passwd", tree_.root() / "linked/SKILL.md");
  const Listing listing = look();
  EXPECT_NE(told(listing).find("twin: warning[S011]: is a symbolic link"), std::string::npos)
      << told(listing);
  EXPECT_NE(told(listing).find("linked/SKILL.md: error[S001]"), std::string::npos) << told(listing);

  FolderRepository repository(tree_.root());
  const auto skill = repository.list().skills.at(0);
  EXPECT_EQ(repository.files(*skill).value().files.size(), 1u);
  EXPECT_FALSE(repository.read(*skill, "circle/good/SKILL.md"));
}

TEST_F(HostileTree, WithAFifoInPlaceOfTheFile) {
  fs::create_directories(tree_.root() / "pipe");
  ASSERT_EQ(::mkfifo((tree_.root() / "pipe/SKILL.md").c_str(), 0600), 0);
  EXPECT_NE(told(look()).find("pipe/SKILL.md: error[S001]: is not a regular file"),
            std::string::npos);
}

TEST_F(HostileTree, WithAFolderInPlaceOfTheFile) {
  fs::create_directories(tree_.root() / "odd/SKILL.md");
  EXPECT_NE(told(look()).find("odd/SKILL.md: error[S001]"), std::string::npos);
}

TEST_F(HostileTree, WithAHugeFile) {
  tree_.write("huge/SKILL.md", "---\nname: huge\n");
  fs::resize_file(tree_.root() / "huge/SKILL.md", 1ull << 40u);  // sparse
  EXPECT_NE(told(look()).find("huge/SKILL.md: error[S001]: is larger than 1048576 bytes"),
            std::string::npos);
}

TEST_F(HostileTree, WithBytesThatAreNoText) {
  tree_.write("binary/SKILL.md", std::string("---\nname: \xC3\x28\n\0---\n", 18));
  tree_.write("bad\xFFname/SKILL.md", "---\nname: x\ndescription: d\n---\nb\n");
  EXPECT_NE(told(look()).find("binary/SKILL.md: error[S002]"), std::string::npos);
}

TEST_F(HostileTree, WithAliasBombs) {
  std::string bomb = "---\nname: bomb\ndescription: d\na: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1) + ", *" +
            static_cast<char>(c - 1) + "]\n";
  }
  tree_.write("bomb/SKILL.md", bomb + "---\nbody\n");
  EXPECT_NE(told(look()).find("bomb/SKILL.md:4:4: error[S004]"), std::string::npos);
}

TEST_F(HostileTree, WithAFolderThatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every folder";
  tree_.add("closed");
  fs::permissions(tree_.root() / "closed", fs::perms::none);
  EXPECT_NE(told(look()).find("closed: error[S011]: cannot be opened: Permission denied"),
            std::string::npos);
  fs::permissions(tree_.root() / "closed", fs::perms::owner_all);
}

TEST_F(HostileTree, WithTenThousandFolders) {
  for (int i = 0; i < 10'000; ++i) fs::create_directory(tree_.root() / ("n" + std::to_string(i)));
  const test::CpuTime cpu;
  const Listing listing = look();
  EXPECT_LT(cpu.taken(), std::chrono::seconds(30));
  EXPECT_NE(told(listing).find("warning[S011]: more than 2000 folders"), std::string::npos);
}

TEST_F(HostileTree, WithADeepAndWideSkill) {
  std::string path = "good";
  for (int i = 0; i < 30; ++i) path += "/deeper";
  tree_.write(path + "/x.txt", "x");
  for (int i = 0; i < 600; ++i) tree_.write("good/f" + std::to_string(i), "");
  tree_.write("good/.hidden", "x");
  FolderRepository repository(tree_.root());
  const FileList files = repository.files(*repository.list().skills.at(0)).value();
  EXPECT_FALSE(files.complete);
  EXPECT_LE(files.files.size(), kMaxFiles);
  for (const FileEntry& entry : files.files)
    EXPECT_EQ(entry.path.find(".hidden"), std::string::npos);
}

TEST_F(HostileTree, WithNamesThatArePaths) {
  tree_.write("trick/SKILL.md", "---\nname: ../good\ndescription: d\n---\nb\n");
  tree_.write("trap/SKILL.md", "---\nname: /etc/passwd\ndescription: d\n---\nb\n");
  const std::string said = told(look());
  EXPECT_NE(said.find("trick/SKILL.md:2:7: error[S006]"), std::string::npos) << said;
  EXPECT_NE(said.find("trap/SKILL.md:2:7: error[S006]"), std::string::npos) << said;
}

// What a user without rights of their own could link in where links are not protected.
TEST_F(HostileTree, WithHardLinksToFilesOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  constexpr uid_t kOther = 12'345;
  const auto theirs = tree_.write("theirs.txt", "secret");
  ASSERT_EQ(::chown(theirs.c_str(), kOther, kOther), 0);
  const auto manual = tree_.write("manual.md", "---\nname: linked\ndescription: d\n---\nb\n");
  ASSERT_EQ(::chown(manual.c_str(), kOther, kOther), 0);
  fs::create_hard_link(theirs, tree_.root() / "good/theirs.txt");
  const auto ours = tree_.write("ours.txt", "ours");
  fs::create_hard_link(ours, tree_.root() / "good/ours.txt");
  fs::create_directory(tree_.root() / "linked");
  fs::create_hard_link(manual, tree_.root() / "linked/SKILL.md");
  EXPECT_NE(told(look()).find("linked/SKILL.md: error[S001]: is a hard link"), std::string::npos);

  FolderRepository repository(tree_.root());
  const auto skill = repository.list().skills.at(0);
  EXPECT_FALSE(repository.read(*skill, "theirs.txt"));
  EXPECT_EQ(repository.read(*skill, "ours.txt").value(), "ours");
  const FileList files = repository.files(*skill).value();
  ASSERT_EQ(files.files.size(), 2u);
  EXPECT_EQ(files.files[1].path, "ours.txt");
}

// The host's own trouble says nothing of the skills.
TEST_F(HostileTree, WhileTheHostHasNoDescriptorsLeft) {
  FolderRepository repository(tree_.root());
  ASSERT_EQ(repository.list().skills.size(), 1u);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Listing listing = repository.list();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(listing.skills.size(), 1u);
  EXPECT_NE(told(listing).find("error[S011]: cannot be opened: Too many open files"),
            std::string::npos)
      << told(listing);
  EXPECT_TRUE(repository.changed());
  EXPECT_EQ(told(repository.list()), "");
}

TEST(Repository, WhoseFolderIsMissingIsEmptyAndWhoseFolderIsAFileSaysSo) {
  SkillTree tree;
  EXPECT_EQ(told(FolderRepository(tree.root() / "none").list()), "");
  const auto file = tree.write("file", "x");
  EXPECT_NE(told(FolderRepository(file).list()).find("file: error[S011]: cannot be opened"),
            std::string::npos);
}

}  // namespace
}  // namespace host::skill
