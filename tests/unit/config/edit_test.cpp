#include "config/change/edit.h"

#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <string>

#include "loading.h"

namespace host::config {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kBefore = R"(# what this host does
[server]
listen = "127.0.0.1:1"   # here

# the files
[[upstream]] # of the team
name = "a"
command = "server"
args = [
  "x", # one
  # two

]
# in the middle
[upstream.env]
TOKEN = """
# no comment
"""

# after it

# before the log
[log]
level = "info"
)";

constexpr const char* kAfter = R"(# what this host does
[server]
listen = "127.0.0.1:1"   # here

# the files

# after it

# before the log
[log]
level = "info"
)";

Upstream one_named(const std::string& name) {
  Upstream out;
  out.name = name;
  out.command = "server";
  out.args = {"--folder", "/srv/a \"b\""};
  out.env = R"({"TOKEN":{"env":"T"}})";
  return out;
}

std::string without(const std::string& text, const std::string& name) {
  const auto out = without_upstream(text, name);
  return out ? *out : out.error().message;
}

TEST(Edit, RemovesOneSectionAndKeepsWhatIsAroundIt) {
  EXPECT_EQ(without(kBefore, "a"), kAfter);
  EXPECT_THAT(without(kBefore, "b"), HasSubstr("no [[upstream]] is named \"b\""));
}

TEST(Edit, AddingAndRemovingGivesTheSameText) {
  for (const std::string before :
       {"", "[log]\nlevel = \"info\"\n", kBefore, "# only a comment\n"}) {
    const std::string text = with_upstream(before, one_named("new"));
    const Config config = good(parse_text(text));
    EXPECT_EQ(config.upstream.back(), one_named("new"));
    EXPECT_EQ(without(text, "new"), before);
    const std::string two = with_upstream(text, one_named("other"));
    EXPECT_EQ(without(two, "other"), text);
    EXPECT_EQ(without(without(two, "new"), "other"), before);
  }
}

TEST(Edit, KeepsTheEndsOfLines) {
  const std::string text = with_upstream("[log]\r\nlevel = \"info\"\r\n", one_named("u"));
  EXPECT_THAT(text, HasSubstr("\r\n\r\n[[upstream]]\r\nname = \"u\"\r\n"));
  EXPECT_EQ(without(text, "u"), "[log]\r\nlevel = \"info\"\r\n");
  EXPECT_EQ(without(with_upstream("[log]\nlevel = \"info\"", one_named("u")), "u"),
            "[log]\nlevel = \"info\"\n");
}

TEST(Edit, LeavesFormsThatItCannotRemoveWhole) {
  EXPECT_THAT(without("upstream = [{ name = \"a\", command = \"c\" }]\n", "a"),
              HasSubstr("by hand"));
  EXPECT_THAT(without("[[upstream]]\nname = \"a\"\ncommand = \"c\"\n[log]\nlevel = \"info\"\n"
                      "[upstream.env]\nA = \"1\"\n",
                      "a"),
              HasSubstr("several places"));
  EXPECT_THAT(without("[[upstream\n", "a"), HasSubstr("not TOML"));
}

class ReplacedFile : public ::testing::Test {
 protected:
  ReplacedFile() {
    std::string name = (fs::temp_directory_path() / "toolpost-edit-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    write(file(), "old");
  }
  ~ReplacedFile() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "config.toml"; }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string read(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  static unsigned mode(const fs::path& file) {
    struct stat about {};
    ::stat(file.c_str(), &about);
    return about.st_mode & 07777;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(ReplacedFile, KeepsItsModeAndItsLink) {
  ::chmod(file().c_str(), 0640);
  const fs::path link = folder_ / "link.toml";
  fs::create_symlink("config.toml", link);
  ASSERT_TRUE(replace_text(link, "old", "new"));
  EXPECT_EQ(read(file()), "new");
  EXPECT_EQ(mode(file()), 0640u);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(files(), 2u);
}

TEST_F(ReplacedFile, StaysIfSomebodyElseHasChangedIt) {
  const auto done = replace_text(file(), "another text", "new");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("meanwhile"));
  EXPECT_EQ(read(file()), "old");
  EXPECT_EQ(files(), 1u);
}

// As two commands do that have read the same text.
TEST_F(ReplacedFile, LosesNoTextOfTwoThatReplaceItAtOnce) {
  for (int round = 0; round < 30; ++round) {
    const bool is_new = round % 2 == 0;
    const fs::path target = folder_ / ("config" + std::to_string(round) + ".toml");
    if (!is_new) write(target, "old");
    std::barrier both(2);
    const auto replace = [&](const char* text) {
      both.arrive_and_wait();
      return replace_text(target, is_new ? "" : "old", text).has_value();
    };
    auto one = std::async(std::launch::async, replace, "one");
    const bool other_done = replace("other");
    const bool one_done = one.get();
    EXPECT_NE(one_done, other_done) << "round " << round;
    EXPECT_EQ(read(target), one_done ? "one" : "other");
  }
}

TEST_F(ReplacedFile, IsMadeForItsUserAlone) {
  const fs::path fresh = folder_ / "below" / "config.toml";
  ASSERT_TRUE(replace_text(fresh, "", "new"));
  EXPECT_EQ(read(fresh), "new");
  EXPECT_EQ(mode(fresh), 0600u);
  fs::create_symlink("nowhere", folder_ / "broken.toml");
  EXPECT_FALSE(replace_text(folder_ / "broken.toml", "", "new"));
}

}  // namespace
}  // namespace host::config
