#include "store/part/file_store.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::ElementsAre;

class FileStoreTest : public ::testing::Test {
 protected:
  FileStoreTest() {
    std::string name = (fs::temp_directory_path() / "file-store-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~FileStoreTest() override { fs::remove_all(folder_); }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  FileStore& files() { return store_->files(); }
  static FileRecord record(const std::string& id, std::uint64_t bytes = 10,
                           const std::string& principal = "anna", int created = 5) {
    FileRecord made;
    made.id = id;
    made.principal = principal;
    made.name = id + ".txt";
    made.content_type = "text/plain";
    made.bytes = bytes;
    made.digest = sha256(id);
    made.created = WallTime(std::chrono::seconds(created));
    made.expires = WallTime(std::chrono::seconds(created + 100));
    return made;
  }

  fs::path folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(FileStoreTest, KeepsARecordForItsPrincipalAlone) {
  ASSERT_EQ(files().add(record("a"), {}).value(), FileStore::Added::Yes);
  store_ = open();
  EXPECT_EQ(files().find("anna", "a").value(), record("a"));
  EXPECT_EQ(files().find("ben", "a").value(), std::nullopt);
  EXPECT_EQ(files().find("anna", "b").value(), std::nullopt);
  EXPECT_FALSE(files().remove("ben", "a").value());
  EXPECT_TRUE(files().remove("anna", "a").value());
  EXPECT_FALSE(files().remove("anna", "a").value());
}

// Whoever knows the URL of the upload must not bring other contents under a known id.
TEST_F(FileStoreTest, AnIdIsNotUsedAgainWhileTheUrlOfItsUploadIsValid) {
  FileRecord removed = record("a");
  removed.url_expires = WallTime(300s);
  FileRecord expired = record("b");
  expired.url_expires = WallTime(300s);
  ASSERT_EQ(files().add(removed, {}).value(), FileStore::Added::Yes);
  ASSERT_EQ(files().add(expired, {}).value(), FileStore::Added::Yes);
  ASSERT_EQ(files().find("anna", "a").value(), removed);
  ASSERT_TRUE(files().remove("anna", "a").value());
  ASSERT_THAT(files().forget_expired(WallTime(200s)).value(), ElementsAre("b"));
  store_ = open();
  for (const FileRecord& one : {removed, expired}) {
    EXPECT_TRUE(files().is_taken(one.id).value()) << one.id;
    EXPECT_EQ(files().add(one, {}).value(), FileStore::Added::Exists) << one.id;
    EXPECT_EQ(files().find("anna", one.id).value(), std::nullopt);
  }
  EXPECT_EQ(files().usage("anna").value().removed, 2u);
  ASSERT_THAT(files().forget_expired(WallTime(300s)).value(), ElementsAre());
  EXPECT_EQ(files().usage("anna").value().removed, 0u);
  EXPECT_FALSE(files().is_taken("a").value());
  EXPECT_FALSE(files().is_taken("b").value());
}

TEST_F(FileStoreTest, AnIdIsUsedOnce) {
  ASSERT_EQ(files().add(record("a"), {}).value(), FileStore::Added::Yes);
  EXPECT_EQ(files().add(record("a", 10, "ben"), {}).value(), FileStore::Added::Exists);
}

TEST_F(FileStoreTest, RefusesWhatIsBeyondAQuota) {
  const FileQuota quota{2, 100, 150};
  EXPECT_EQ(files().add(record("a", 101), quota).value(), FileStore::Added::Full);
  ASSERT_EQ(files().add(record("a", 60), quota).value(), FileStore::Added::Yes);
  EXPECT_EQ(files().add(record("b", 41), quota).value(), FileStore::Added::Full);
  ASSERT_EQ(files().add(record("b", 40), quota).value(), FileStore::Added::Yes);
  EXPECT_EQ(files().add(record("c", 0), quota).value(), FileStore::Added::Full);
  EXPECT_EQ(files().add(record("c", 51, "ben"), quota).value(), FileStore::Added::Full);
  EXPECT_EQ(files().add(record("c", 50, "ben"), quota).value(), FileStore::Added::Yes);
  const FileUsage used = files().usage("anna").value();
  EXPECT_EQ(used.files, 2u);
  EXPECT_EQ(used.bytes, 100u);
  EXPECT_EQ(used.of_all, 150u);
}

TEST_F(FileStoreTest, ListsTheNewestFirstAndGoesOnAfterOne) {
  for (int n = 1; n <= 3; ++n)
    ASSERT_TRUE(files().add(record("f" + std::to_string(n), 1, "anna", n), {}));
  ASSERT_TRUE(files().add(record("other", 1, "ben", 9), {}));
  const auto ids = [&](const std::string& before, std::uint32_t most) {
    std::vector<std::string> out;
    const auto listed = files().list("anna", before, most).value();
    for (const FileRecord& one : listed) out.push_back(one.id);
    return out;
  };
  EXPECT_THAT(ids("", 9), ElementsAre("f3", "f2", "f1"));
  EXPECT_THAT(ids("", 2), ElementsAre("f3", "f2"));
  EXPECT_THAT(ids("f2", 9), ElementsAre("f1"));
  // Who is told of no more files believes to have seen them all.
  for (const char* const gone : {"other", "f2"}) {
    ASSERT_TRUE(files().remove("anna", "f2"));
    EXPECT_EQ(files().list("anna", gone, 9).error().kind, ErrorKind::InvalidArgument) << gone;
  }
}

TEST_F(FileStoreTest, ForgetsWhatHasExpired) {
  ASSERT_TRUE(files().add(record("old", 1, "anna", 5), {}));
  ASSERT_TRUE(files().add(record("new", 1, "anna", 50), {}));
  const std::vector<std::string> all = {"old", "new", "never"};
  EXPECT_THAT(files().unknown_of(all, WallTime(104s)).value(), ElementsAre("never"));
  EXPECT_THAT(files().unknown_of(all, WallTime(105s)).value(), ElementsAre("old", "never"));
  EXPECT_THAT(files().forget_expired(WallTime(105s)).value(), ElementsAre("old"));
  EXPECT_THAT(files().unknown_of(all, WallTime(104s)).value(), ElementsAre("old", "never"));
}

TEST_F(FileStoreTest, TheSigningKeyStaysAndIsNotInTheFile) {
  const SealKey key = files().signing_key().value();
  EXPECT_NE(key, SealKey{});
  store_ = open();
  EXPECT_EQ(files().signing_key().value(), key);
}

// URLs from before are lost with it, and nothing else.
TEST_F(FileStoreTest, ASigningKeyThatCannotBeOpenedIsReplaced) {
  const SealKey key = files().signing_key().value();
  store_.reset();
  fs::remove(folder_ / "toolpost.db.key");
  store_ = open();
  const SealKey fresh = files().signing_key().value();
  EXPECT_NE(fresh, key);
  store_ = open();
  EXPECT_EQ(files().signing_key().value(), fresh);
}

}  // namespace
}  // namespace host::store
