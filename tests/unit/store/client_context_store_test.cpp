#include "store/part/client_context_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

class ClientContextStoreTest : public ::testing::Test {
 protected:
  ClientContextStoreTest() {
    std::string name = (fs::temp_directory_path() / "session-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~ClientContextStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::shared_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  static WallTime at(int seconds) { return WallTime(std::chrono::seconds(1'000'000 + seconds)); }
  static ClientContextRecord session(const std::string& id, const std::string& owner, int used) {
    return {id, "anna", "coder", owner, "2025-11-25", 5, 3, {"a://b", "c://d"}, at(0), at(used)};
  }
  fs::path folder_;
  std::shared_ptr<Store> store_;
};

TEST_F(ClientContextStoreTest, KeepsThemForTheirOwnerOverTheProcess) {
  ClientContextStore& sessions = store_->client_contexts();
  ASSERT_TRUE(sessions.put(session("s1", "127.0.0.1:1", 9)));
  ASSERT_TRUE(sessions.put(session("s2", "127.0.0.1:1", 5)));
  ASSERT_TRUE(sessions.put(session("s3", "127.0.0.1:2", 7)));
  store_ = open();
  const auto mine = store_->client_contexts().list("127.0.0.1:1").value();
  ASSERT_EQ(mine.size(), 2u);
  EXPECT_EQ(mine[0], session("s2", "127.0.0.1:1", 5));
  EXPECT_EQ(mine[1], session("s1", "127.0.0.1:1", 9));
  EXPECT_EQ(store_->client_contexts().list("").value().size(), 3u);
}

TEST_F(ClientContextStoreTest, UsesAndEndsAreOfWhatIsThere) {
  ClientContextStore& sessions = store_->client_contexts();
  ASSERT_TRUE(sessions.put(session("s1", "o", 1)));
  ASSERT_TRUE(sessions.put(session("s2", "o", 2)));
  ASSERT_TRUE(sessions.used({{"s1", at(8)}, {"gone", at(9)}}));
  const auto all = sessions.list("o").value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.back().id, "s1");
  EXPECT_EQ(all.back().used, at(8));
  EXPECT_TRUE(sessions.remove("s1").value());
  EXPECT_FALSE(sessions.remove("s1").value());
  ASSERT_TRUE(sessions.forget_unused_since(at(3)));
  EXPECT_TRUE(sessions.list("o").value().empty());
}

TEST_F(ClientContextStoreTest, SeesWhatAnotherProcessTakesOut) {
  ASSERT_TRUE(store_->client_contexts().put(session("s1", "o", 1)));
  store_->client_contexts().changed_by_others().value();
  EXPECT_FALSE(store_->client_contexts().changed_by_others().value());
  EXPECT_TRUE(open()->client_contexts().remove("s1").value());
  EXPECT_TRUE(store_->client_contexts().changed_by_others().value());
  EXPECT_FALSE(store_->client_contexts().changed_by_others().value());
}

}  // namespace
}  // namespace host::store
