// The contract of store::KvStore.
#include "store/part/kv_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "store/sqlite/sqlite.h"
#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using Kept = KvWrite::Outcome;

class TestClock final : public Clock {
 public:
  SteadyTime steady() const override { return {}; }
  WallTime wall() const override { return now; }
  WallTime now{std::chrono::hours(24 * 365 * 50)};
};

class KvStoreTest : public ::testing::Test {
 protected:
  KvStoreTest() {
    std::string name = (fs::temp_directory_path() / "kv-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~KvStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::shared_ptr<KvStore> open() {
    std::shared_ptr<Store> all = open_sqlite_store(file(), clock_).value();
    return {all, &all->kv()};
  }
  fs::path file() const { return folder_ / "state" / "toolpost.db"; }

  KvWrite set(const KvSpace& space, const std::string& key, const std::string& bytes,
              std::uint64_t expected = kAnyVersion) {
    return store_->set(space, key, bytes, expected, quota_).value();
  }
  std::string get(const KvSpace& space, const std::string& key) {
    const KvValue value = store_->get(space, key).value();
    return value.version == kNoVersion ? "nothing" : value.bytes;
  }
  std::string list(const KvSpace& space, const std::string& prefix, const std::string& after = {},
                   std::uint32_t limit = 100) {
    std::string text;
    const KvPage page = store_->list(space, prefix, after, limit).value();
    for (const KvKey& key : page.keys) text += key.key + " ";
    return text + (page.more ? "more" : "end");
  }

  fs::path folder_;
  TestClock clock_;
  KvQuota quota_;
  std::shared_ptr<KvStore> store_;
  const KvSpace a_{"a", ""};
};

TEST_F(KvStoreTest, KeepsBytesOfAnyKindOverAReopening) {
  const std::string bytes("\0\xff\n'x", 5);
  set(a_, "key", bytes);
  set(a_, "empty", "");
  store_.reset();
  store_ = open();
  EXPECT_EQ(get(a_, "key"), bytes);
  EXPECT_EQ(get(a_, "empty"), "");
  EXPECT_EQ(get(a_, "absent"), "nothing");
}

TEST_F(KvStoreTest, SpacesDoNotSeeEachOther) {
  set(a_, "key", "of a");
  set({"a", "s1"}, "key", "of a in s1");
  set({"b", ""}, "key", "of b");
  EXPECT_EQ(get(a_, "key"), "of a");
  EXPECT_EQ(get({"a", "s1"}, "key"), "of a in s1");
  EXPECT_EQ(get({"a", "s2"}, "key"), "nothing");
  EXPECT_EQ(get({"b", ""}, "key"), "of b");
  store_->remove(a_, "key", kAnyVersion).value();
  EXPECT_EQ(get({"b", ""}, "key"), "of b");
  EXPECT_EQ(list({"a", "s1"}, ""), "key end");
}

TEST_F(KvStoreTest, WritesOnlyOverTheVersionThatIsInsistedOn) {
  const KvWrite first = set(a_, "key", "1", kNoVersion);
  ASSERT_EQ(first.outcome, Kept::Done);
  EXPECT_EQ(set(a_, "key", "other", kNoVersion).outcome, Kept::Conflict);
  const KvWrite second = set(a_, "key", "2", first.version);
  ASSERT_EQ(second.outcome, Kept::Done);
  const KvWrite late = set(a_, "key", "other", first.version);
  EXPECT_EQ(late.outcome, Kept::Conflict);
  EXPECT_EQ(late.version, second.version);
  EXPECT_EQ(store_->remove(a_, "key", first.version).value().outcome, Kept::Conflict);
  EXPECT_EQ(get(a_, "key"), "2");
  EXPECT_EQ(store_->remove(a_, "key", second.version).value().outcome, Kept::Done);
  EXPECT_EQ(get(a_, "key"), "nothing");
}

TEST_F(KvStoreTest, NeverUsesAVersionTwice) {
  const std::uint64_t first = set(a_, "key", "1").version;
  store_->remove(a_, "key", kAnyVersion).value();
  store_.reset();
  store_ = open();
  const std::uint64_t again = set(a_, "key", "1").version;
  EXPECT_GT(again, first);
  EXPECT_GT(set({"a", "s"}, "key", "1").version, again);
}

TEST_F(KvStoreTest, HoldsAPluginToItsQuotaWithItsSessions) {
  quota_ = {20, 3};
  EXPECT_EQ(set(a_, "k1", "12345678").outcome, Kept::Done);         // 10 bytes
  EXPECT_EQ(set({"a", "s"}, "k2", "1234567").outcome, Kept::Done);  // 9
  EXPECT_EQ(set(a_, "k3", "").outcome, Kept::Full);                 // 2 would be 21
  EXPECT_EQ(set(a_, "k1", "123456789").outcome, Kept::Done);        // 20
  EXPECT_EQ(set(a_, "k1", "1234567890").outcome, Kept::Full);
  EXPECT_EQ(get(a_, "k1"), "123456789");
  EXPECT_EQ(set({"b", ""}, "k", "123456").outcome, Kept::Done);  // another plugin
  store_->remove(a_, "k1", kAnyVersion).value();
  EXPECT_EQ(set(a_, "k", "1").outcome, Kept::Done);
  EXPECT_EQ(set(a_, "l", "1").outcome, Kept::Done);
  EXPECT_EQ(set(a_, "m", "1").outcome, Kept::Full);  // a fourth key
  quota_ = {1, 1};
  EXPECT_EQ(set(a_, "k", "").outcome, Kept::Done);  // less is always let through
}

TEST_F(KvStoreTest, ListsByPrefixInOrderAndInPages) {
  for (const char* key : {"b/2", "a", "b/1", "b/10", "c", "b"}) set(a_, key, "x");
  EXPECT_EQ(list(a_, ""), "a b b/1 b/10 b/2 c end");
  EXPECT_EQ(list(a_, "b/"), "b/1 b/10 b/2 end");
  EXPECT_EQ(list(a_, "b/", "", 2), "b/1 b/10 more");
  EXPECT_EQ(list(a_, "b/", "b/10", 2), "b/2 end");
  EXPECT_EQ(list(a_, "d"), "end");
  set(a_, "\xff\xff", "x");
  set(a_, "\xff\xff\x01", "x");
  EXPECT_EQ(list(a_, "\xff\xff"), "\xff\xff \xff\xff\x01 end");
}

TEST_F(KvStoreTest, ForgetsSessionsThatNobodyWritesToAndGivesTheirQuotaBack) {
  quota_ = {1000, 4};
  set(a_, "old", "x");
  set({"a", "old"}, "k", "x");
  set({"a", "lives"}, "k", "x");
  const WallTime between = clock_.now + std::chrono::hours(1);
  clock_.now += std::chrono::hours(2);
  set({"a", "lives"}, "other", "x");
  EXPECT_EQ(set(a_, "more", "x").outcome, Kept::Full);
  EXPECT_EQ(store_->forget_sessions(between).value(), 1u);
  EXPECT_EQ(get({"a", "old"}, "k"), "nothing");
  EXPECT_EQ(get({"a", "lives"}, "k"), "x");  // written to as a whole
  EXPECT_EQ(get(a_, "old"), "x");
  EXPECT_EQ(set(a_, "more", "x").outcome, Kept::Done);
}

TEST_F(KvStoreTest, IsTheOwnersAlone) {
  set(a_, "key", "x");
  struct stat about {};
  for (const fs::path& path : {file(), fs::path(file().string() + "-wal")}) {
    ASSERT_EQ(::stat(path.c_str(), &about), 0) << path;
    EXPECT_EQ(about.st_mode & 0777u, 0600u) << path;
  }
  ASSERT_EQ(::stat(file().parent_path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0700u);
}

TEST_F(KvStoreTest, TwoProcessesCountTogether) {
  const auto other = open();
  const auto count = [this](KvStore& store) {
    for (int done = 0; done < 30;) {
      const KvValue old = store.get(a_, "n").value();
      const int next = old.bytes.empty() ? 1 : std::stoi(old.bytes) + 1;
      const auto written =
          store.set(a_, "n", std::to_string(next), old.version, quota_).value().outcome;
      if (written == Kept::Done) ++done;
    }
  };
  std::thread beside([&] { count(*other); });
  count(*store_);
  beside.join();
  EXPECT_EQ(get(a_, "n"), "60");
}

TEST_F(KvStoreTest, SaysWhatIsWrongWithItsFile) {
  store_.reset();
  fs::remove_all(file().parent_path());
  fs::create_directories(file());  // a folder in its place
  const auto opened = open_sqlite_store(file(), clock_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("toolpost.db"), std::string::npos);
}

}  // namespace
}  // namespace host::store
