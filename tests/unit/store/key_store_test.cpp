// The contract of store::KeyStore: what any store of keys has to hold.
#include "store/part/key_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

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
  LoginRecord login(const std::string& secret) const {
    LoginRecord made;
    made.id = "id-" + secret;
    made.secret = sha256(secret);
    made.page_secret = sha256("page's " + secret);
    made.created = clock_.now;
    made.expires = clock_.now + 1h;
    return made;
  }
  // Whether the key `id` gives a login.
  bool log_in(const std::string& secret, const std::string& id, std::size_t most = 16) {
    const auto made = store_->log_in_by_key(id, sha256(id + "'s secret"), login(secret), most);
    EXPECT_TRUE(made) << made.error().message;
    return made && made->has_value();
  }
  std::vector<std::string> logins() {
    std::vector<std::string> ids;
    const auto listed = store_->logins().value();
    for (const LoginRecord& one : listed) ids.push_back(one.id);
    return ids;
  }
  using Ids = std::vector<std::string>;

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
  ASSERT_TRUE(store_->add_key(key("k2")));
  ASSERT_TRUE(log_in("a", "k1"));
  ASSERT_TRUE(log_in("b", "k2"));
  EXPECT_TRUE(store_->revoke("k1").value());
  EXPECT_TRUE(store_->keys().value().at(0).revoked);
  EXPECT_EQ(logins(), Ids{"id-b"});
  EXPECT_FALSE(store_->revoke("k1").value());
  EXPECT_EQ(store_->revoke("k9").error().kind, ErrorKind::NotFound);
}

// Whatever the one that asks believes of the key: another process may have changed it just now.
TEST_F(KeyStoreTest, ALoginIsMadeByAKeyThatIsValidThenAndNoOther) {
  ASSERT_TRUE(store_->add_key(key("k1")));
  KeyRecord short_lived = key("k2", "bert");
  short_lived.scopes = 1;
  short_lived.expires = clock_.now + 10min;
  ASSERT_TRUE(store_->add_key(short_lived));
  const auto made = store_->log_in_by_key("k2", sha256("k2's secret"), login("a"), 16).value();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->principal, "bert");
  EXPECT_EQ(made->scopes, 1u);
  EXPECT_EQ(made->key, "k2");
  EXPECT_EQ(made->expires, clock_.now + 10min);
  EXPECT_FALSE(store_->log_in_by_key("k1", sha256("k2's secret"), login("b"), 16).value());
  EXPECT_FALSE(log_in("c", "k9"));
  clock_.now += 10min;
  EXPECT_FALSE(log_in("d", "k2"));
  const auto other = open();  // another process
  ASSERT_TRUE(other->revoke("k1").value());
  EXPECT_FALSE(log_in("e", "k1"));
  EXPECT_TRUE(logins().empty());
}

// The race of the command line with a host: whatever comes first, none is left.
TEST_F(KeyStoreTest, NoLoginOutlivesItsKeyWhoeverRevokesItMeanwhile) {
  const auto others = open();
  for (int round = 0; round < 5; ++round) {
    const std::string id = "k" + std::to_string(round);
    ASSERT_TRUE(store_->add_key(key(id)));
    std::thread other([&] {
      const auto revoked = others->revoke(id);
      EXPECT_TRUE(revoked) << revoked.error().message;
    });
    for (int i = 0; i < 5; ++i) log_in(id + "-" + std::to_string(i), id);
    other.join();
    EXPECT_TRUE(logins().empty()) << round;
    EXPECT_FALSE(log_in(id + "-late", id));
  }
}

TEST_F(KeyStoreTest, AKeyHasSoManyLoginsAndTheOldestMakesRoom) {
  ASSERT_TRUE(store_->add_key(key("k1")));
  ASSERT_TRUE(store_->add_key(key("k2")));
  ASSERT_TRUE(log_in("other", "k2", 3));
  for (const char* const secret : {"a", "b", "c", "d", "e"}) {
    clock_.now += 1s;
    ASSERT_TRUE(log_in(secret, "k1", 3));
  }
  EXPECT_EQ(logins(), (Ids{"id-e", "id-d", "id-c", "id-other"}));
  for (const char* const link : {"l1", "l2", "l3"}) {
    clock_.now += 1s;
    ASSERT_TRUE(store_->add_link({sha256(link), "operator", 7, clock_.now + 15min}));
    ASSERT_TRUE(store_->log_in_by_link(sha256(link), login(link), 2).value());
  }
  EXPECT_EQ(logins(), (Ids{"id-l3", "id-l2", "id-e", "id-d", "id-c", "id-other"}));
}

TEST_F(KeyStoreTest, ALinkOpensOnceAndGivesItsOwnRights) {
  ASSERT_TRUE(store_->add_link({sha256("link"), "operator", 7, clock_.now + 15min}));
  LoginRecord fresh = login("cookie");
  fresh.principal = "nobody";
  fresh.scopes = 0;
  fresh.key = "k1";
  const auto other = open();  // another process
  const auto made = store_->log_in_by_link(sha256("link"), fresh, 16).value();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->principal, "operator");
  EXPECT_EQ(made->scopes, 7u);
  EXPECT_FALSE(other->log_in_by_link(sha256("link"), login("second"), 16).value());
  const auto logins = other->logins().value();
  ASSERT_EQ(logins.size(), 1u);
  EXPECT_EQ(logins[0].principal, "operator");
  EXPECT_EQ(logins[0].key, "");
  EXPECT_EQ(logins[0].id, "id-cookie");
  EXPECT_EQ(logins[0].secret, sha256("cookie"));
  EXPECT_EQ(logins[0].page_secret, sha256("page's cookie"));
  EXPECT_EQ(logins[0].created, clock_.now);
}

TEST_F(KeyStoreTest, ALinkThatExpiredOrNeverWasOpensNothing) {
  ASSERT_TRUE(store_->add_link({sha256("link"), "operator", 7, clock_.now + 15min}));
  EXPECT_FALSE(store_->log_in_by_link(sha256("kink"), login("a"), 16).value());
  clock_.now += 15min;
  EXPECT_FALSE(store_->log_in_by_link(sha256("link"), login("a"), 16).value());
  EXPECT_TRUE(logins().empty());
}

TEST_F(KeyStoreTest, LoginsEndByTimeByWishAndWithTheirKey) {
  KeyRecord short_lived = key("k1");
  ASSERT_TRUE(store_->add_key(short_lived));
  ASSERT_TRUE(log_in("a", "k1"));
  ASSERT_TRUE(log_in("b", "k1"));
  EXPECT_TRUE(store_->end_login("id-a").value());
  EXPECT_FALSE(store_->end_login("id-a").value());
  EXPECT_EQ(logins(), Ids{"id-b"});
  // A key that is rotated ends before the login would.
  ASSERT_TRUE(store_->rotate("k1", key("k2"), clock_.now + 10min));
  clock_.now += 10min;
  EXPECT_TRUE(logins().empty());
  ASSERT_TRUE(log_in("c", "k2"));
  clock_.now += 1h;
  EXPECT_TRUE(logins().empty());
}

TEST_F(KeyStoreTest, AllLoginsOfAPrincipalEndButThoseThatMayMore) {
  ASSERT_TRUE(store_->add_key(key("k1")));  // scopes 3
  KeyRecord all = key("k2");
  all.scopes = 7;
  ASSERT_TRUE(store_->add_key(all));
  ASSERT_TRUE(store_->add_key(key("k3", "bert")));
  for (const char* const id : {"k1", "k2", "k3"}) ASSERT_TRUE(log_in(id, id));
  EXPECT_EQ(store_->end_logins("anna", 1).value(), 0u);
  EXPECT_EQ(store_->end_logins("anna", 3).value(), 1u);
  EXPECT_EQ(store_->end_logins("anna", 7).value(), 1u);
  EXPECT_EQ(logins(), Ids{"id-k3"});
}

TEST_F(KeyStoreTest, AKeyExpires) {
  KeyRecord one = key("k1");
  one.expires = clock_.now + 1h;
  ASSERT_TRUE(store_->add_key(one));
  const KeyRecord read = store_->keys().value().at(0);
  EXPECT_EQ(read.expires, clock_.now + 1h);
  EXPECT_TRUE(read.is_valid_at(clock_.now));
  EXPECT_FALSE(read.is_valid_at(clock_.now + 1h));
}

TEST_F(KeyStoreTest, ARotatedKeyHasASuccessorWithItsRightsAndEndsLater) {
  KeyRecord one = key("k1");
  one.agent = "coder";
  one.expires = clock_.now + 30 * 24h;
  ASSERT_TRUE(store_->add_key(one));
  clock_.now += 1h;
  KeyRecord fresh = key("k2", "eve");
  fresh.scopes = 7;
  const KeyRecord made = store_->rotate("k1", fresh, clock_.now + 24h).value().fresh;
  EXPECT_EQ(made.principal, "anna");
  EXPECT_EQ(made.scopes, 3u);
  EXPECT_EQ(made.agent, "coder");
  EXPECT_EQ(made.expires, clock_.now + 30 * 24h);
  const auto keys = store_->keys().value();
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].principal, "anna");
  EXPECT_EQ(keys[1].expires, clock_.now + 24h);
  EXPECT_EQ(keys[1].successor, "k2");
  // A key that ends before the overlap does is not kept alive by it.
  KeyRecord brief = key("b1");
  brief.expires = clock_.now + 1h;
  ASSERT_TRUE(store_->add_key(brief));
  EXPECT_EQ(store_->rotate("b1", key("b2"), clock_.now + 24h).value().old_expires, clock_.now + 1h);
  ASSERT_EQ(store_->keys().value().size(), 4u);
  // Once; and neither what is revoked or has expired, nor what never was.
  EXPECT_EQ(store_->rotate("k1", key("k3"), clock_.now + 24h).error().kind,
            ErrorKind::InvalidArgument);
  ASSERT_TRUE(store_->revoke("k2"));
  EXPECT_EQ(store_->rotate("k2", key("k4"), clock_.now + 24h).error().kind,
            ErrorKind::InvalidArgument);
  EXPECT_EQ(store_->rotate("k9", key("k5"), clock_.now + 24h).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(store_->keys().value().size(), 4u);
}

TEST_F(KeyStoreTest, UsesOfKeysAreKeptAndNeverGoBack) {
  ASSERT_TRUE(store_->add_key(key("k1")));
  EXPECT_FALSE(store_->keys().value().at(0).used);
  ASSERT_TRUE(store_->tidy({{"k1", clock_.now + 5s}, {"k9", clock_.now}}));
  ASSERT_TRUE(store_->tidy({{"k1", clock_.now + 1s}}));
  EXPECT_EQ(store_->keys().value().at(0).used, clock_.now + 5s);
}

// Nobody has to log in for that.
TEST_F(KeyStoreTest, ExpiredRowsAreDeletedByTime) {
  ASSERT_TRUE(store_->add_key(key("k1")));
  ASSERT_TRUE(log_in("a", "k1"));
  ASSERT_TRUE(store_->add_link({sha256("link"), "operator", 7, clock_.now + 15min}));
  clock_.now += 1h;
  ASSERT_TRUE(store_->tidy({}));
  clock_.now -= 1h;
  EXPECT_TRUE(logins().empty());
  EXPECT_FALSE(store_->log_in_by_link(sha256("link"), login("b"), 16).value());
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
    // Among the keys, which are behind all tables.
    bytes.seekp(static_cast<std::streamoff>(fs::file_size(file)) / 8 * 7);
    bytes << std::string(4096, '\x55');
  }
  const auto damaged = open_sqlite_store(file, clock_, whole);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.find("is damaged"), std::string::npos);
}

}  // namespace
}  // namespace host::store
