// The contract of store::KeyStore: what any store of keys has to hold.
#include "store/key_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class TurnedClock final : public Clock {
 public:
  SteadyTime steady() const override { return {}; }
  WallTime wall() const override { return now; }
  WallTime now{std::chrono::hours(24 * 365 * 50)};
};

class KeyStoreTest : public ::testing::Test {
 protected:
  KeyStoreTest() {
    std::string name = (fs::temp_directory_path() / "keys-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~KeyStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::shared_ptr<KeyStore> open() {
    std::shared_ptr<Store> all = open_sqlite_store(folder_ / "toolpost.db", clock_).value();
    return {all, &all->keys()};
  }
  KeyRecord key(const std::string& id, const std::string& principal = "anna") const {
    return {id, principal, 3, sha256(id + "'s secret"), clock_.now, false};
  }
  LoginRecord login(const std::string& secret, const std::string& key = "") const {
    return {sha256(secret), "anna", 7, key, clock_.now + 1h};
  }

  TurnedClock clock_;
  fs::path folder_;
  std::shared_ptr<KeyStore> store_;
};

TEST_F(KeyStoreTest, KeysOutliveTheStoreAndAreListedNewestFirst) {
  ASSERT_TRUE(store_->add_key(key("k1")));
  clock_.now += 1s;
  ASSERT_TRUE(store_->add_key(key("k2", "bert")));
  store_.reset();
  store_ = open();
  const auto keys = store_->keys().value();
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].id, "k2");
  EXPECT_EQ(keys[0].principal, "bert");
  EXPECT_EQ(keys[1].scopes, 3u);
  EXPECT_EQ(keys[1].secret, sha256("k1's secret"));
  EXPECT_EQ(keys[1].created, clock_.now - 1s);
  EXPECT_FALSE(keys[1].revoked);
}

TEST_F(KeyStoreTest, AnIdIsTakenOnce) {
  ASSERT_TRUE(store_->add_key(key("k1")));
  EXPECT_FALSE(store_->add_key(key("k1", "eve")));
  EXPECT_EQ(store_->keys().value().at(0).principal, "anna");
}

TEST_F(KeyStoreTest, RevokingEndsAKeyAndTheLoginsMadeWithIt) {
  ASSERT_TRUE(store_->add_key(key("k1")));
  ASSERT_TRUE(store_->add_login(login("a", "k1")));
  ASSERT_TRUE(store_->add_login(login("b")));
  EXPECT_TRUE(store_->revoke("k1").value());
  EXPECT_TRUE(store_->keys().value().at(0).revoked);
  const auto logins = store_->logins().value();
  ASSERT_EQ(logins.size(), 1u);
  EXPECT_EQ(logins[0].secret, sha256("b"));
  EXPECT_FALSE(store_->revoke("k1").value());
  EXPECT_EQ(store_->revoke("k9").error().kind, ErrorKind::NotFound);
}

TEST_F(KeyStoreTest, ALinkOpensOnceAndGivesItsOwnRights) {
  ASSERT_TRUE(store_->add_link({sha256("link"), "operator", 7, clock_.now + 15min}));
  LoginRecord fresh = login("cookie");
  fresh.principal = "nobody";
  fresh.scopes = 0;
  const auto other = open();  // another process
  const auto made = store_->use_link(sha256("link"), fresh).value();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->principal, "operator");
  EXPECT_EQ(made->scopes, 7u);
  EXPECT_FALSE(other->use_link(sha256("link"), login("second")).value());
  const auto logins = other->logins().value();
  ASSERT_EQ(logins.size(), 1u);
  EXPECT_EQ(logins[0].principal, "operator");
  EXPECT_EQ(logins[0].secret, sha256("cookie"));
}

TEST_F(KeyStoreTest, ALinkThatExpiredOrNeverWasOpensNothing) {
  ASSERT_TRUE(store_->add_link({sha256("link"), "operator", 7, clock_.now + 15min}));
  EXPECT_FALSE(store_->use_link(sha256("kink"), login("a")).value());
  clock_.now += 15min;
  EXPECT_FALSE(store_->use_link(sha256("link"), login("a")).value());
  EXPECT_TRUE(store_->logins().value().empty());
}

TEST_F(KeyStoreTest, LoginsEndByTimeAndByWish) {
  ASSERT_TRUE(store_->add_login(login("a")));
  ASSERT_TRUE(store_->add_login(login("b")));
  ASSERT_TRUE(store_->end_login(sha256("a")));
  EXPECT_EQ(store_->logins().value().size(), 1u);
  clock_.now += 1h;
  EXPECT_TRUE(store_->logins().value().empty());
}

TEST_F(KeyStoreTest, TellsWhatOthersWrote) {
  ASSERT_TRUE(store_->changed_by_others());
  ASSERT_TRUE(store_->add_key(key("k1")));
  EXPECT_FALSE(store_->changed_by_others().value());
  const auto other = open();
  ASSERT_TRUE(other->add_key(key("k2")));
  EXPECT_TRUE(store_->changed_by_others().value());
  EXPECT_FALSE(store_->changed_by_others().value());
}

// Two connections of one process, and another process that comes and goes: its end must not take
// the log from beneath them.
TEST_F(KeyStoreTest, AnotherProcessThatLeavesTakesNothingFromTwoConnections) {
  const auto second = open();
  for (const char* const id : {"k1", "k2"}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool done = open()->add_key(key(id)).has_value();
      ::_exit(done ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  EXPECT_EQ(store_->keys().value().size(), 2u);
  EXPECT_EQ(second->keys().value().size(), 2u);
  ASSERT_TRUE(second->add_key(key("k3")));
  EXPECT_EQ(store_->keys().value().size(), 3u);
}

TEST_F(KeyStoreTest, ADamagedFileIsToldWhereItIsLookedThrough) {
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(store_->add_key(key("k" + std::to_string(i))));
  store_.reset();
  const fs::path file = folder_ / "toolpost.db";
  StoreOptions whole;
  whole.check = Check::Whole;
  EXPECT_TRUE(open_sqlite_store(file, clock_, whole));
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(fs::file_size(file)) / 2);
    bytes << std::string(4096, '\x55');
  }
  const auto damaged = open_sqlite_store(file, clock_, whole);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.find("is damaged"), std::string::npos);
}

}  // namespace
}  // namespace host::store
