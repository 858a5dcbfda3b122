#include "plugin/file/staging.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "plugin/file/elf_check.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class StagingTest : public ::testing::Test {
 protected:
  StagingTest() {
    std::string name = (fs::temp_directory_path() / "staging-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::copy_file(animal("one"), folder_ / "p.so");
  }
  ~StagingTest() override { fs::remove_all(folder_); }
  std::string bytes() const {
    std::ifstream file(folder_ / "p.so", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<void> check(const std::string& content) const {
    std::ofstream(folder_ / "x.so", std::ios::binary | std::ios::trunc) << content;
    const UniqueFd fd(::open((folder_ / "x.so").c_str(), O_RDONLY));
    return check_elf(fd.get(), content.size());
  }
  fs::path folder_;
};

TEST_F(StagingTest, CopiesToAPathOfItsOwnThatOnlyTheOwnerMayTouch) {
  auto staging = Staging::open(folder_ / "cache");
  ASSERT_TRUE(staging) << staging.error().message;
  const auto first = staging->stage(folder_ / "p.so", "p", 1);
  const auto second = staging->stage(folder_ / "p.so", "p", 2);
  ASSERT_TRUE(first && second) << (first ? "" : first.error().message);
  EXPECT_NE(first->file, second->file);
  const Sha256 expected = sha256(bytes());
  EXPECT_EQ(first->hash, to_hex(expected));
  struct stat info {};
  ASSERT_EQ(::stat(first->file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0500u);
  ASSERT_EQ(::stat(first->file.parent_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0700u);
  Staging::remove(*first);
  EXPECT_FALSE(fs::exists(first->file.parent_path()));
}

TEST_F(StagingTest, AsksOfTheCopysHashWhetherItWasLoadedBefore) {
  auto staging = Staging::open(folder_ / "cache");
  ASSERT_TRUE(staging);
  std::string asked;
  const auto staged = staging->stage(folder_ / "p.so", "p", 1, [&](const std::string& hash) {
    asked = hash;
    return true;
  });
  ASSERT_TRUE(staged) << staged.error().message;
  EXPECT_EQ(asked, staged->hash);
}

TEST_F(StagingTest, RemovesWhatADeadHostLeftAndNotWhatALiveOneHas) {
  auto live = Staging::open(folder_ / "cache");
  ASSERT_TRUE(live);
  const fs::path dead = folder_ / "cache/toolpost-plugins-dead00";
  fs::create_directory(dead);
  std::ofstream(dead / "lock");
  ASSERT_TRUE(live->stage(folder_ / "p.so", "p", 1));
  auto other = Staging::open(folder_ / "cache");
  ASSERT_TRUE(other);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(live->stage(folder_ / "p.so", "p", 2));
}

// As tmpfiles.d(5) says: what cleans by age leaves such a folder alone, and all below it.
TEST_F(StagingTest, LocksItsFolderAgainstThoseWhoCleanByAge) {
  fs::path mine;
  {
    auto staging = Staging::open(folder_ / "cache");
    ASSERT_TRUE(staging);
    mine = staging->empty_folder().parent_path();
    const UniqueFd cleaner(::open(mine.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(::flock(cleaner.get(), LOCK_SH | LOCK_NB), -1);
    EXPECT_EQ(errno, EWOULDBLOCK);
  }
  EXPECT_FALSE(fs::exists(mine));
}

TEST_F(StagingTest, ManyHostsMayStartAtOnce) {
  std::vector<std::thread> hosts;
  std::atomic<int> failed = 0;
  for (int i = 0; i < 8; ++i) {
    hosts.emplace_back([&] {
      for (int start = 0; start < 100; ++start) {
        const auto staging = Staging::open(folder_ / "cache");
        failed += !staging || !fs::exists(staging->empty_folder());
      }
    });
  }
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(failed, 0);
  EXPECT_TRUE(fs::is_empty(folder_ / "cache"));
}

TEST_F(StagingTest, TakesPluginsOfAnyName) {
  auto staging = Staging::open(folder_ / "cache");
  ASSERT_TRUE(staging);
  for (const std::string name : {"lock", ".empty", "p", "p.1", "p.1-new"}) {
    const auto staged = staging->stage(folder_ / "p.so", name, 1);
    EXPECT_TRUE(staged) << name << ": " << staged.error().message;
  }
}

TEST_F(StagingTest, AFileThatIsNoLibraryLeavesNothingBehind) {
  auto staging = Staging::open(folder_ / "cache");
  ASSERT_TRUE(staging);
  std::ofstream(folder_ / "p.so", std::ios::trunc) << "hello";
  const auto refused = staging->stage(folder_ / "p.so", "p", 1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("too short"), std::string::npos);
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache"))
    files += entry.path().extension() == ".so";
  EXPECT_EQ(files, 0);
}

TEST_F(StagingTest, ACopyThatCannotGetItsNameLeavesNothingBehind) {
  auto staging = Staging::open(folder_ / "cache");
  ASSERT_TRUE(staging) << staging.error().message;
  const fs::path copies = staging->empty_folder().parent_path();
  const fs::path taken = copies / ("p.1-" + to_hex(sha256(bytes())).substr(0, 12));
  fs::create_directories(taken / "in the way");
  const auto staged = staging->stage(folder_ / "p.so", "p", 1);
  ASSERT_FALSE(staged);
  EXPECT_EQ(staged.error().kind, ErrorKind::Io);
  EXPECT_FALSE(fs::exists(copies / "p.1-new"));
}

TEST_F(StagingTest, EveryTruncationIsSeen) {
  const std::string whole = bytes();
  ASSERT_TRUE(check(whole)) << check(whole).error().message;
  for (std::size_t cut = 0; cut < whole.size(); cut += 97)
    EXPECT_FALSE(check(whole.substr(0, cut))) << cut;
  EXPECT_FALSE(check(whole.substr(0, whole.size() - 1)));
}

TEST_F(StagingTest, MutatedHeadersNeverCrashTheCheck) {
  const std::string whole = bytes();
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string mutated = whole;
    for (int i = 0; i < 4; ++i) mutated[random() % 0x400] = static_cast<char>(random());
    refused += !check(mutated);
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace host::plugin
