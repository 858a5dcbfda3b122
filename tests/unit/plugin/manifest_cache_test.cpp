#include "plugin/file/manifest_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace host::plugin {
namespace {

namespace fs = std::filesystem;

class ManifestCacheTest : public ::testing::Test {
 protected:
  ManifestCacheTest() {
    std::string name = (fs::temp_directory_path() / "manifest-cache-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream(folder_ / "worker") << "a worker";
  }
  ~ManifestCacheTest() override { fs::remove_all(folder_); }
  ManifestCache open() const {
    auto cache = ManifestCache::open(folder_ / "cache");
    if (!cache) throw std::runtime_error(cache.error().message);
    return std::move(*cache);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_ / "cache"), fs::directory_iterator()));
  }

  fs::path folder_;
  ManifestCache::Key key_{"abcd", "{}", {}};

  void SetUp() override { key_.worker = folder_ / "worker"; }
};

TEST_F(ManifestCacheTest, GivesWhatWasKeptToALaterHost) {
  open().keep(key_, "manifest");
  EXPECT_EQ(open().find(key_), "manifest");
  EXPECT_EQ(files(), 1u);  // nothing half-written stays beside it
}

TEST_F(ManifestCacheTest, IsOfThatLibraryThoseSettingsAndThatWorkerAlone) {
  const ManifestCache cache = open();
  cache.keep(key_, "manifest");
  auto other = key_;
  other.hash = "abce";
  EXPECT_FALSE(cache.find(other));
  other = key_;
  other.settings = R"({"a":1})";
  EXPECT_FALSE(cache.find(other));
  std::ofstream(folder_ / "worker") << "another worker";
  EXPECT_FALSE(cache.find(key_));
}

TEST_F(ManifestCacheTest, TakesNothingThatIsNotWhatWasWritten) {
  const ManifestCache cache = open();
  cache.keep(key_, "manifest");
  const fs::path file = fs::directory_iterator(folder_ / "cache")->path();
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_FALSE(cache.find(key_));
  cache.keep(key_, "manifest");
  std::fstream(file, std::ios::in | std::ios::out).seekp(70).put('X');
  EXPECT_FALSE(cache.find(key_));
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(cache.find(key_));
  fs::remove(file);
  fs::create_symlink(folder_ / "worker", file);
  EXPECT_FALSE(cache.find(key_));
}

TEST_F(ManifestCacheTest, ForgetsAndKeepsABoundedNumber) {
  const ManifestCache cache = open();
  cache.keep(key_, "manifest");
  cache.forget(key_);
  EXPECT_FALSE(cache.find(key_));
  for (int i = 0; i < 300; ++i) {
    key_.hash = std::to_string(i);
    cache.keep(key_, "manifest");
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // file times advance in steps
  key_.hash = "last";
  cache.keep(key_, "manifest");
  EXPECT_EQ(files(), 256u);
  EXPECT_TRUE(cache.find(key_));
}

TEST_F(ManifestCacheTest, RefusesAFolderThatOthersMayWrite) {
  open();
  fs::permissions(folder_ / "cache", fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(ManifestCache::open(folder_ / "cache").error().kind, ErrorKind::Denied);
  fs::remove_all(folder_ / "cache");
  fs::create_directory(folder_ / "shared");
  fs::permissions(folder_ / "shared", fs::perms::others_write, fs::perm_options::add);
  fs::create_symlink(folder_ / "shared", folder_ / "cache");  // where it leads to is judged
  EXPECT_FALSE(ManifestCache::open(folder_ / "cache"));
}

}  // namespace
}  // namespace host::plugin
