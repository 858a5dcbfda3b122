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
  EXPECT_EQ(count(*open(), kTables), 22u);
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
  EXPECT_EQ(count(*database, kTables), 22u);
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
