#include "skill/folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/skill_tree.h"

namespace host::skill {
namespace {

namespace fs = std::filesystem;

class Folder : public ::testing::TestWithParam<Beneath> {
 protected:
  Folder() {
    tree_.write("in/a.txt", "alpha");
    tree_.write("in/sub/b.txt", "beta");
    tree_.write("secret.txt", "secret");
    fd_ = UniqueFd(::open((tree_.root() / "in").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  Result<std::string> read(const std::string& path, std::size_t limit = 100) {
    return read_beneath(fd_.get(), path, limit, GetParam());
  }
  SkillTree tree_;
  UniqueFd fd_;
};

TEST_P(Folder, GivesItsFiles) {
  EXPECT_EQ(read("a.txt").value(), "alpha");
  EXPECT_EQ(read("sub/b.txt").value(), "beta");
  EXPECT_EQ(read("none").error().kind, ErrorKind::NotFound);
}

TEST_P(Folder, LetsNoPathOut) {
  EXPECT_FALSE(read("../secret.txt"));
  EXPECT_FALSE(read("sub/../../secret.txt"));
  EXPECT_FALSE(read((tree_.root() / "secret.txt").string()));
}

TEST_P(Folder, FollowsNoSymlink) {
  fs::create_symlink("../secret.txt", tree_.root() / "in/link");
  fs::create_symlink("..", tree_.root() / "in/up");
  fs::create_symlink("a.txt", tree_.root() / "in/inside");
  for (const char* path : {"link", "up/secret.txt", "inside"}) {
    const auto bytes = read(path);
    ASSERT_FALSE(bytes) << path;
    EXPECT_NE(bytes.error().message.find("cannot be opened"), std::string::npos)
        << bytes.error().message;
  }
}

TEST_P(Folder, ReadsRegularFilesOnlyAndNeverWaits) {
  ASSERT_EQ(::mkfifo((tree_.root() / "in/fifo").c_str(), 0600), 0);
  EXPECT_EQ(read("fifo").error().message, "is not a regular file");
  EXPECT_EQ(read("sub").error().message, "is not a regular file");
}

TEST_P(Folder, BoundsTheSize) {
  EXPECT_TRUE(read("a.txt", 5));
  EXPECT_EQ(read("a.txt", 4).error().message, "is larger than 4 bytes");
}

INSTANTIATE_TEST_SUITE_P(Either, Folder,
                         ::testing::Values(Beneath::ByKernel, Beneath::ByComponents));

TEST(RelativePath, HasNoWayOutAndNothingHidden) {
  for (const char* good : {"a", "a/b.txt", "references/x y.md", "a..b", "...a/b"}) {
    EXPECT_EQ(check_relative(good).has_value(), good[0] != '.') << good;
  }
  for (const char* bad : {"", "/", "/etc/passwd", ".", "..", "../x", "a/../b", "a/./b", "a//b",
                          "a/", ".git/config", "a/.x"}) {
    EXPECT_FALSE(check_relative(bad)) << bad;
  }
  EXPECT_FALSE(check_relative(std::string_view("a\0b", 3)));
  EXPECT_FALSE(check_relative(std::string(2000, 'a')));
}

}  // namespace
}  // namespace host::skill
