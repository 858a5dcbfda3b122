#include "base/process/private_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace host {
namespace {

namespace fs = std::filesystem;

class PrivateFolder : public testing::Test {
 protected:
  PrivateFolder() {
    std::string name = (fs::temp_directory_path() / "private-folder-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~PrivateFolder() override { fs::remove_all(root_); }

  fs::path folder(const std::string& name, mode_t mode) const {
    fs::create_directories(root_ / name);
    ::chmod((root_ / name).c_str(), mode);
    return root_ / name;
  }
  fs::path file(const std::string& name, mode_t mode) const {
    std::ofstream(root_ / name) << "x";
    ::chmod((root_ / name).c_str(), mode);
    return root_ / name;
  }
  static ErrorKind refusal(const fs::path& folder, Above above = Above::Checked) {
    const auto opened = open_private_folder(folder, Make::No, above);
    return opened ? ErrorKind::Internal : opened.error().kind;
  }

  fs::path root_;
};

TEST_F(PrivateFolder, IsMadeWithAllThatIsAboveItForItsUserAlone) {
  ASSERT_TRUE(open_private_folder(root_ / "a/b/c", Make::Yes));
  for (const char* const made : {"a", "a/b", "a/b/c"})
    EXPECT_EQ(fs::status(root_ / made).permissions(), fs::perms::owner_all) << made;
  EXPECT_EQ(refusal(root_ / "a/other"), ErrorKind::NotFound);
  EXPECT_FALSE(fs::exists(root_ / "a/other"));
}

TEST_F(PrivateFolder, IsRefusedWhereOthersMayWrite) {
  EXPECT_EQ(refusal(folder("all", 0777)), ErrorKind::Denied);
  EXPECT_EQ(refusal(folder("group", 0770)), ErrorKind::Denied);
  EXPECT_EQ(refusal(folder("sticky", 01777)), ErrorKind::Denied);
  EXPECT_EQ(refusal(folder("read", 0755)), ErrorKind::Internal);
  const auto opened = open_private_folder(root_ / "all", Make::No);
  EXPECT_NE(opened.error().message.find("(mode 0777)"), std::string::npos);
  EXPECT_NE(opened.error().message.find("`chmod go-w " + (root_ / "all").string() + "`"),
            std::string::npos);
}

TEST_F(PrivateFolder, IsRefusedBelowAFolderThatOthersMayWriteButNotBelowAStickyOne) {
  folder("all/mine", 0700);
  folder("all", 0777);
  EXPECT_EQ(refusal(root_ / "all/mine"), ErrorKind::Denied);
  EXPECT_EQ(refusal(root_ / "all/mine", Above::Trusted), ErrorKind::Internal);
  folder("all", 01777);
  EXPECT_EQ(refusal(root_ / "all/mine"), ErrorKind::Internal);
}

TEST_F(PrivateFolder, IsFollowedThroughLinksAndCheckedWhereTheyLead) {
  const fs::path mine = folder("mine", 0700);
  folder("all/inner", 0700);
  folder("all", 0777);
  fs::create_symlink("mine", root_ / "good");
  fs::create_symlink(root_ / "all/inner", root_ / "bad");
  fs::create_symlink("loop", root_ / "loop");
  EXPECT_EQ(refusal(root_ / "good"), ErrorKind::Internal);
  EXPECT_EQ(refusal(root_ / "good/../good/."), ErrorKind::Internal);
  EXPECT_EQ(refusal(root_ / "bad"), ErrorKind::Denied);
  EXPECT_EQ(refusal(root_ / "loop"), ErrorKind::Io);
  EXPECT_EQ(refusal(file("file", 0600)), ErrorKind::Io);
}

TEST_F(PrivateFolder, OfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "gives a folder away";
  const fs::path theirs = folder("theirs", 0700);
  folder("theirs/inner", 0700);
  ASSERT_EQ(::chown(theirs.c_str(), 4711, 4711), 0);
  EXPECT_EQ(refusal(theirs), ErrorKind::Denied);
  EXPECT_EQ(refusal(theirs / "inner"), ErrorKind::Denied);
  fs::create_symlink("mine", root_ / "link");
  folder("mine", 0700);
  ASSERT_EQ(::lchown((root_ / "link").c_str(), 4711, 4711), 0);
  EXPECT_EQ(refusal(root_ / "link"), ErrorKind::Denied);
}

TEST_F(PrivateFolder, HasFilesThatAreRefusedWhereOthersControlThem) {
  const auto check = [](const fs::path& file, Others others) {
    return check_private_place(file, others);
  };
  EXPECT_TRUE(check(file("good", 0600), Others::None));
  EXPECT_TRUE(check(root_ / "absent", Others::None));
  EXPECT_TRUE(check(root_ / "no/folder", Others::None));
  EXPECT_FALSE(check(file("read", 0644), Others::None));
  EXPECT_TRUE(check(root_ / "read", Others::MayRead));
  EXPECT_FALSE(check(file("write", 0620), Others::MayRead));
  fs::create_symlink("good", root_ / "link");
  EXPECT_FALSE(check(root_ / "link", Others::MayRead));
  EXPECT_FALSE(check(folder("folder", 0700), Others::MayRead));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown((root_ / "good").c_str(), 4711, 4711), 0);
  EXPECT_FALSE(check(root_ / "good", Others::None));
}

}  // namespace
}  // namespace host
