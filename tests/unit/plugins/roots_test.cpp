// The way beneath a granted folder, by openat2 and by the walk that stands in for it.
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include <toolpost/toolpost.hpp>

#include "roots/roots.h"
#include "roots/utf8.h"
#include "unit/plugins/plugin_test.h"

// The SDK's announcements look at the plugin's own table; nothing here is one.
extern "C" const tp_plugin* toolpost_plugin_v1(void) {
  return nullptr;
}

namespace {

class RootsTest : public testing::TestWithParam<bool> {
 protected:
  RootsTest() : roots_({folder_.at("in")}, "files") {
    folder_.write("in/a/b.txt", "inside");
    folder_.write("out.txt", "outside");
    folder_.write("in_other/c.txt", "beside");
    fs::create_symlink("../../out.txt", folder_.root / "in/a/up");
    fs::create_symlink("b.txt", folder_.root / "in/a/near");
    fs::create_symlink("a", folder_.root / "in/folder");
  }

  int opened(const std::string& path, int flags = O_RDONLY) {
    const Place place = roots_.find(folder_.at(path));
    const Fd fd = GetParam() ? roots_.open(place, flags) : roots_.walk(place, flags);
    return fd ? 0 : errno;
  }

  Folder folder_;
  Roots roots_;
};
INSTANTIATE_TEST_SUITE_P(Both, RootsTest, testing::Bool(),
                         [](const auto& which) { return which.param ? "Openat2" : "Walk"; });

TEST_P(RootsTest, OpensWhatIsBeneath) {
  EXPECT_EQ(opened("in/a/b.txt"), 0);
  EXPECT_EQ(opened("in//a/./b.txt"), 0);
  EXPECT_EQ(opened("in", O_PATH), 0);
  EXPECT_EQ(opened("in/a", O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(opened("in/a/none"), ENOENT);
}

TEST_P(RootsTest, FollowsNoLinkNotEvenOneThatStaysInside) {
  EXPECT_EQ(opened("in/a/up"), ELOOP);
  EXPECT_EQ(opened("in/a/near"), ELOOP);
  EXPECT_EQ(opened("in/a/near", O_PATH), ELOOP);
  EXPECT_NE(opened("in/folder/b.txt"), 0);
}

TEST(Roots, RefusesWhatLiesOutsideByWholeNames) {
  const Folder folder;
  const Roots roots({folder.at("in")}, "files");
  for (const std::string& path :
       {folder.at("in_other/c.txt"), folder.at("in/../out.txt"), folder.at("in/a/../../x"),
        std::string("/etc/passwd"), std::string("in/a"), std::string(""), std::string("~/x"),
        std::string("/"), folder.at("in") + std::string("/a\0b", 4),
        std::string(5000, '/') + "x"}) {
    EXPECT_THROW(roots.find(path), toolpost::Error) << path;
  }
  EXPECT_EQ(roots.find(folder.at("in")).parts.size(), 0u);
}

TEST(Roots, CutsALongPathBetweenCharacters) {
  const Folder folder;
  const Roots roots({folder.at("in")}, "files");
  std::string path = "/";
  for (int i = 0; i < 100; ++i) path += "\u044f";
  try {
    roots.find(path);
    FAIL() << "found";
  } catch (const toolpost::Error& error) {
    const std::string_view told = error.what();
    EXPECT_EQ(toolpost::valid_utf8(told), told.size());
    EXPECT_NE(told.find("is outside the granted folders"), std::string_view::npos) << told;
  }
}

TEST(Roots, TakesTheSpellingOfTheOperatorAndTheRealOne) {
  const Folder folder;
  folder.write("real/x", "");
  fs::create_symlink("real", folder.root / "link");
  const Roots roots({folder.at("link")}, "files");
  EXPECT_TRUE(roots.open(roots.find(folder.at("link/x")), O_RDONLY));
  EXPECT_TRUE(roots.open(roots.find(folder.at("real/x")), O_RDONLY));
}

TEST(Roots, TheDeepestOfNestedOnesIsMeant) {
  const Folder folder;
  const Roots roots({folder.at("a"), folder.at("a/b")}, "files");
  EXPECT_EQ(roots.find(folder.at("a/b/c")).root, folder.at("a/b"));
  EXPECT_EQ(roots.find(folder.at("a/bc")).root, folder.at("a"));
}

TEST(Roots, RefusesASettingThatIsNoAbsolutePath) {
  EXPECT_THROW(Roots({"src"}, "files"), toolpost::Error);
  EXPECT_THROW(Roots({"/a/../b"}, "files"), toolpost::Error);
}

TEST(Utf8, KnowsWhatIsText) {
  for (const std::string_view good : {"", "plain", "\xc3\xa4", "\xf0\x9f\x98\x80", "\xed\x9f\xbf"})
    EXPECT_EQ(toolpost::valid_utf8(good), good.size());
  for (const std::string_view bad : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                     "\xf4\x90\x80\x80", "\xf0\x9f\x98", "\xff"})
    EXPECT_EQ(toolpost::valid_utf8(bad), 0u) << bad;
  EXPECT_EQ(printable("a\x1b[31mb\xff\n"), "a\xef\xbf\xbd[31mb\xef\xbf\xbd\n");
  EXPECT_EQ(toolpost::cut("a\xc3\xa4z", 2), "a");
  EXPECT_EQ(toolpost::cut("a\xc3\xa4z", 3), "a\xc3\xa4");
  EXPECT_EQ(toolpost::cut("\xf0\x9f\x98\x80z", 3), "");
  EXPECT_EQ(toolpost::cut("\xc3\xa4", 2), "\xc3\xa4");
  EXPECT_EQ(toolpost::cut("\xc3\xa4", 0), "");
  EXPECT_EQ(toolpost::mend_utf8("a\xc3"), "a\xef\xbf\xbd");
  EXPECT_EQ(toolpost::mend_utf8("\xff\xc3\xa4\n"), "\xef\xbf\xbd\xc3\xa4\n");
}

}  // namespace
