#include "store/sqlite/schema.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

namespace host::store {
namespace {

namespace fs = std::filesystem;

class SchemaTest : public ::testing::Test {
 protected:
  SchemaTest() {
    std::string name = (fs::temp_directory_path() / "schema-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~SchemaTest() override { fs::remove_all(folder_); }

  std::unique_ptr<Sqlite> open() { return Sqlite::open(folder_ / "toolpost.db").value(); }
  static std::uint64_t count(Sqlite& database, const char* sql) {
    auto statement = database.prepare(sql).value();
    EXPECT_TRUE(statement.step().value());
    return statement.number(0);
  }

  fs::path folder_;
};

constexpr const char* kTables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'";

TEST_F(SchemaTest, IsMadeOnceByHoweverManyOpenItAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] { EXPECT_TRUE(bring_up_to_date(*open())); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count(*open(), kTables), 26u);
}

TEST_F(SchemaTest, TakesOverADatabaseFromBeforeItHadANumber) {
  const auto database = open();
  ASSERT_TRUE(database->run(
      "CREATE TABLE kv (plugin TEXT NOT NULL, session TEXT NOT NULL, key BLOB NOT NULL, "
      "value BLOB NOT NULL, version INTEGER NOT NULL, written INTEGER NOT NULL, "
      "PRIMARY KEY (plugin, session, key)) STRICT, WITHOUT ROWID;"
      "INSERT INTO kv VALUES ('p', '', x'01', x'02', 3, 4)"));
  ASSERT_TRUE(bring_up_to_date(*database));
  EXPECT_EQ(count(*database, "SELECT version FROM kv"), 3u);
  EXPECT_EQ(count(*database, kTables), 26u);
}

TEST_F(SchemaTest, KeepsTheClientContextsThatAnOlderHostCalledSessions) {
  const auto database = open();
  ASSERT_TRUE(database->run(
      "CREATE TABLE session ("
      "id TEXT PRIMARY KEY, principal TEXT NOT NULL, agent TEXT NOT NULL, owner TEXT NOT NULL, "
      "version TEXT NOT NULL, abilities INTEGER NOT NULL, log_level INTEGER NOT NULL, "
      "followed TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL) "
      "STRICT, WITHOUT ROWID;"
      "CREATE INDEX session_by_use ON session (used);"
      "CREATE TABLE approval (id TEXT PRIMARY KEY) STRICT;"
      "CREATE TABLE plugin_order (id TEXT PRIMARY KEY) STRICT;"
      "CREATE TABLE idempotency ("
      "principal TEXT NOT NULL, tool TEXT NOT NULL, key TEXT NOT NULL, arguments BLOB NOT NULL, "
      "holder TEXT NOT NULL, lease INTEGER NOT NULL, ended INTEGER NOT NULL, "
      "bytes INTEGER NOT NULL, is_error INTEGER NOT NULL, content TEXT NOT NULL, "
      "structured TEXT NOT NULL, meta TEXT NOT NULL) STRICT;"
      "CREATE INDEX idempotency_room ON idempotency (principal, bytes);"
      "CREATE TABLE task ("
      "id TEXT PRIMARY KEY, principal TEXT NOT NULL, tool TEXT NOT NULL, "
      "status INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, "
      "ttl INTEGER NOT NULL, poll_interval INTEGER NOT NULL, questions TEXT NOT NULL, "
      "asked INTEGER NOT NULL, outcome TEXT NOT NULL, owner TEXT NOT NULL) STRICT;"
      "INSERT INTO session VALUES ('s1', 'anna', '', 'o', '2025-11-25', 5, 3, '[]', 1, 2);"
      "PRAGMA user_version = 15"));
  ASSERT_TRUE(bring_up_to_date(*database));
  EXPECT_EQ(count(*database, "SELECT abilities FROM client_context WHERE id = 's1'"), 5u);
}

// A database that has taken a step never takes it again: what a step lacks needs a new one.
TEST(Schema, TheStepsThatHostsHaveTakenStayAsTheyAre) {
  EXPECT_EQ(to_hex(digest_of_steps(25)),
            "7066c08f145d8f116fb139405b4b5ad0a1bb0536155ef406f66227f8378836fd");
}

// As the steps up to 25 made them.
constexpr const char* kKeysWithClaims =
    "DROP TABLE idempotency; DROP TABLE idempotency_used;"
    "CREATE TABLE idempotency ("
    "principal TEXT NOT NULL, tool TEXT NOT NULL, key TEXT NOT NULL, arguments BLOB NOT NULL, "
    "holder TEXT NOT NULL, lease INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0, "
    "bytes INTEGER NOT NULL DEFAULT 0, is_error INTEGER NOT NULL DEFAULT 0, "
    "content TEXT NOT NULL DEFAULT '', structured TEXT NOT NULL DEFAULT '', "
    "meta TEXT NOT NULL DEFAULT '', UNIQUE (principal, tool, key)) STRICT;"
    "CREATE INDEX idempotency_room ON idempotency (principal, bytes);"
    "CREATE INDEX idempotency_kept ON idempotency (ended) WHERE lease = 0;"
    "CREATE INDEX idempotency_claimed ON idempotency (lease) WHERE lease > 0;";

TEST_F(SchemaTest, KeepsTheAnswersOfAnOlderHostAndNoClaims) {
  const auto database = open();
  ASSERT_TRUE(bring_up_to_date(*database));
  ASSERT_TRUE(database->run(
      "ALTER TABLE session DROP COLUMN presets; DROP TABLE upstream_login;"  // of later steps
      "ALTER TABLE call_record DROP COLUMN context; ALTER TABLE approval DROP COLUMN context; "
      "DROP TABLE upstream_offer; ALTER TABLE call_record DROP COLUMN approval; "
      "DROP INDEX call_claim; ALTER TABLE call_record DROP COLUMN claim;"
      "ALTER TABLE file DROP COLUMN url_until; DROP TABLE removed_file;"
      "ALTER TABLE webhook DROP COLUMN old_secrets; DROP INDEX call_in_progress;"
      "ALTER TABLE call_record DROP COLUMN key_tool;"
      "ALTER TABLE plugin_order DROP COLUMN take_by; DROP TABLE upstream_held;"));
  ASSERT_TRUE(database->run(kKeysWithClaims));
  ASSERT_TRUE(database->run(
      "INSERT INTO idempotency (principal, tool, key, arguments, holder, lease, ended, bytes) "
      "VALUES ('anna', 't', 'a', x'01', '', 0, 9, 5), ('anna', 't', 'b', x'02', '', 0, 8, 7), "
      "('anna', 't', 'c', x'03', 'h', 7, 0, 0), ('bert', 't', 'c', x'03', 'h', 7, 0, 0);"
      "PRAGMA user_version = 25"));
  ASSERT_TRUE(bring_up_to_date(*database));
  EXPECT_EQ(count(*database, "SELECT count(*) FROM idempotency"), 2u);
  EXPECT_EQ(count(*database, "SELECT ended FROM idempotency ORDER BY place LIMIT 1"), 8u);
  EXPECT_EQ(count(*database, "SELECT keys FROM idempotency_used WHERE principal = 'anna'"), 2u);
  EXPECT_EQ(count(*database, "SELECT sum(bytes) FROM idempotency_used"), 12u);
  ASSERT_TRUE(database->run("DELETE FROM idempotency WHERE key = 'a'"));
  EXPECT_EQ(count(*database, "SELECT keys * 100 + bytes FROM idempotency_used"), 107u);
  ASSERT_TRUE(database->run("DELETE FROM idempotency"));
  EXPECT_EQ(count(*database, "SELECT count(*) FROM idempotency_used"), 0u);
}

TEST_F(SchemaTest, RefusesWhatANewerHostMade) {
  const auto database = open();
  ASSERT_TRUE(database->run("PRAGMA user_version = 99"));
  const auto refused = bring_up_to_date(*database);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("a newer toolpost made it (version 99"),
            std::string::npos);
  EXPECT_EQ(count(*database, kTables), 0u);
}

}  // namespace
}  // namespace host::store
