#include "file/folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/old_file_system.h"

namespace host::file {
namespace {

namespace fs = std::filesystem;

class FolderTest : public ::testing::Test {
 protected:
  ~FolderTest() override { fs::remove_all(place_); }

  static fs::path fresh_place() {
    std::string name = (fs::temp_directory_path() / "folder-test-XXXXXX").string();
    return ::mkdtemp(name.data());
  }

  std::size_t files() const {
    std::error_code ignored;
    fs::directory_iterator entries(place_ / "files", ignored);
    return static_cast<std::size_t>(std::distance(fs::begin(entries), fs::end(entries)));
  }
  std::string text(const std::string& id) const {
    std::ifstream in(place_ / "files" / id);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void keep(const std::string& id) {
    auto part = folder_.begin(id).value();
    ASSERT_TRUE(part->write("text"));
    ASSERT_TRUE(part->finish("").value());
    part->keep();
  }

  const fs::path place_ = fresh_place();
  Folder folder_{place_ / "files"};
};

TEST_F(FolderTest, KeepsAFileIfRenameSupportsNoFlags) {
  old_file_system::run([&] {
    keep("a");
    auto second = folder_.begin("a").value();
    ASSERT_TRUE(second->write("other"));
    EXPECT_FALSE(second->finish("").value()) << "a file with this id exists";
  });
  EXPECT_EQ(text("a"), "text");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FolderTest, KeepsAFileThatIsWholeAndToBeKept) {
  {
    auto part = folder_.begin("a").value();
    ASSERT_TRUE(part->write("first "));
    ASSERT_TRUE(part->write("second"));
    ASSERT_TRUE(part->finish("").value());
    EXPECT_EQ(part->bytes(), 12u);
    EXPECT_EQ(to_hex(part->digest()), to_hex(sha256("first second")));
    part->keep();
  }
  EXPECT_EQ(text("a"), "first second");
  EXPECT_TRUE(folder_.open("a"));
  struct stat about {};
  ASSERT_EQ(::stat((place_ / "files").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0700u);
}

TEST_F(FolderTest, LeavesNothingOfAPartThatIsNotKept) {
  {
    const auto part = folder_.begin("a").value();
    ASSERT_TRUE(part->write("text"));
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_EQ(files(), 0u);
  {
    const auto part = folder_.begin("a").value();
    ASSERT_TRUE(part->finish("").value());  // its row could not be written
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(FolderTest, RefusesAnotherDigestAndAFileThatIsThere) {
  const auto wrong = folder_.begin("a").value();
  ASSERT_TRUE(wrong->write("text"));
  EXPECT_EQ(wrong->finish(to_hex(sha256("other"))).error().kind, ErrorKind::InvalidArgument);
  keep("b");
  {
    const auto second = folder_.begin("b").value();
    EXPECT_FALSE(second->finish("").value());
  }
  EXPECT_EQ(text("b"), "text");
}

TEST_F(FolderTest, FindsWhatNobodyWrites) {
  EXPECT_TRUE(folder_.unlocked().value().empty());  // there is no folder yet
  keep("kept");
  const auto part = folder_.begin("written").value();
  std::ofstream(place_ / "files" / "old.part") << "of a host that was killed";
  auto found = folder_.unlocked().value();
  ASSERT_EQ(found.size(), 2u);
  for (const Folder::Leftover& one : found) {
    EXPECT_TRUE(one.id == "kept" || one.id == "old") << one.name;
    folder_.remove(one);
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(FolderTest, RemovesALeftoverOnlyIfItIsTheSameFile) {
  keep("a");
  const auto found = folder_.unlocked().value();
  ASSERT_EQ(found.size(), 1u);
  Folder::Leftover other = found[0];
  ++other.inode;
  folder_.remove(other);
  EXPECT_EQ(files(), 1u);
  folder_.remove(found[0]);
  EXPECT_EQ(files(), 0u);
}

TEST_F(FolderTest, FollowsNoLink) {
  keep("a");
  fs::create_symlink("/etc/passwd", place_ / "files" / "link");
  EXPECT_FALSE(folder_.open("link"));
  EXPECT_EQ(folder_.unlocked().value().size(), 1u);
  EXPECT_EQ(folder_.open("gone").error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace host::file
