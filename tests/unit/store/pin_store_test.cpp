#include "store/part/pin_store.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/process/process.h"
#include "store/sqlite/sqlite.h"
#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

class PinStoreTest : public ::testing::Test {
 protected:
  PinStoreTest() {
    std::string name = (fs::temp_directory_path() / "pin-store-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    store_ = open();
  }
  ~PinStoreTest() override { fs::remove_all(folder_); }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  static PinRecord record(const std::string& upstream, const std::string& tool) {
    return {upstream, tool, R"({"name":"a"})", "", true, WallTime(std::chrono::seconds(5)), "off"};
  }

  fs::path folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(PinStoreTest, KeepsRecordsAndReplacesThem) {
  PinRecord changed = record("u", "b");
  ASSERT_TRUE(store_->pins().put({record("u", "b"), record("u", ""), record("a", "z")}));
  changed.held = R"({"name":"b"})";
  changed.offered = false;
  ASSERT_TRUE(store_->pins().put({changed}));
  store_ = open();
  EXPECT_THAT(store_->pins().list().value(),
              ::testing::ElementsAre(record("a", "z"), record("u", ""), changed));
}

TEST_F(PinStoreTest, RemovesARecordWithoutADefinition) {
  PinRecord gone = record("u", "b");
  ASSERT_TRUE(store_->pins().put({record("u", "b"), record("v", "b")}));
  gone.accepted.clear();
  gone.offered = false;
  PinRecord mark = record("u", "");
  mark.accepted.clear();
  ASSERT_TRUE(store_->pins().put({gone, mark}));
  EXPECT_THAT(store_->pins().list().value(), ::testing::ElementsAre(mark, record("v", "b")));
}

// Another host with this store has accepted the definition, and this one has not heard of it.
TEST_F(PinStoreTest, KeepsAnAcceptanceIfTheSameDefinitionIsHeldLater) {
  PinRecord held = record("u", "b");
  held.held = R"({"name":"b"})";
  PinRecord accepted = record("u", "b");
  accepted.accepted = held.held;
  ASSERT_TRUE(store_->pins().put({accepted}));
  ASSERT_TRUE(store_->pins().put({held, record("u", "c")}));
  EXPECT_THAT(store_->pins().list().value(), ::testing::ElementsAre(accepted, record("u", "c")));
}

TEST_F(PinStoreTest, StoresTheFirstListOfOneHostOnly) {
  const std::vector<PinRecord> first{record("u", ""), record("u", "b")};
  EXPECT_EQ(store_->pins().put_first("u", first).value(), first);
  EXPECT_EQ(store_->pins().put_first("u", {record("u", "c")}).value(), first);
  EXPECT_EQ(store_->pins().put_first("v", {record("v", "b")}).value(),
            std::vector<PinRecord>{record("v", "b")});
  EXPECT_EQ(store_->pins().list()->size(), 3u);
}

// Of another process, which runs.
TEST_F(PinStoreTest, KeepsTheDefinitionsThatHostsHoldApart) {
  const auto holding = [](const std::string& definition, int at) {
    PinRecord out = record("u", "b");
    out.held = definition;
    out.changed = WallTime(std::chrono::seconds(at));
    return out;
  };
  const auto held = [this] {
    std::vector<std::string> out;
    const auto all = store_->pins().held();
    for (const PinRecord& one : all.value()) out.push_back(one.held);
    std::sort(out.begin(), out.end());
    return out;
  };
  using ::testing::ElementsAre;
  ASSERT_TRUE(store_->pins().put({record("u", ""), holding("x", 7)}));
  const auto database = Sqlite::open(folder_ / "toolpost.db").value();
  const auto at_process = [&](pid_t pid, const std::string& process,
                              const std::string& definition) {
    const std::string sql =
        "INSERT INTO upstream_held (upstream, tool, pid, process, held, changed) VALUES ('u', "
        "'b', " +
        std::to_string(pid) + ", '" + process + "', '" + definition + "', 6000)";
    ASSERT_TRUE(database->run(sql.c_str()));
  };
  at_process(::getppid(), mark_of_process(::getppid()), "y");
  at_process(::getppid(), "one that has ended", "z");
  EXPECT_THAT(held(), ElementsAre("x", "y", "z"));
  EXPECT_EQ(store_->pins().held()->front().accepted, record("u", "b").accepted);
  ASSERT_TRUE(store_->pins().put({holding("y", 8)}));
  EXPECT_THAT(store_->pins().held().value(), ElementsAre(holding("y", 8)));
  ASSERT_TRUE(store_->pins().put({record("u", "b")}));
  EXPECT_THAT(held(), ElementsAre("y")) << "the other process holds it still";
  PinRecord accepted = record("u", "b");
  accepted.accepted = "y";
  ASSERT_TRUE(store_->pins().put({accepted}));
  EXPECT_THAT(held(), ElementsAre());
  std::string unseen = mark_of_process(::getpid());  // in another PID namespace
  unseen.insert(unseen.find('/') + 1, "another");
  for (int i = 0; i < 20; ++i) at_process(i, unseen, "d");
  ASSERT_TRUE(store_->pins().put({holding("x", 9)}));
  EXPECT_THAT(held(), ::testing::Contains("x"));
  Statement rows = database->prepare("SELECT count(*) FROM upstream_held").value();
  ASSERT_TRUE(rows.step().value());
  EXPECT_EQ(rows.number(0), 8u + 1u) << "eight hosts of one definition, and this host";
}

// The host has not read yet what another host accepted.
TEST_F(PinStoreTest, WhatAHostHoldsReplacesNoAcceptedDefinition) {
  PinRecord accepted = record("u", "b");
  accepted.accepted = "y";
  accepted.by = "anna";
  accepted.changed = WallTime(std::chrono::seconds(9));
  ASSERT_TRUE(store_->pins().put({accepted}));
  PinRecord held = record("u", "b");
  held.held = "z";
  ASSERT_TRUE(store_->pins().put({held}));
  accepted.held = "z";
  EXPECT_THAT(store_->pins().list().value(), ::testing::ElementsAre(accepted));
  ASSERT_EQ(store_->pins().held()->size(), 1u);
}

TEST_F(PinStoreTest, AnEarlierRecordReplacesAndRemovesNoLaterAcceptedDefinition) {
  PinRecord accepted = record("u", "b");
  accepted.accepted = "y";
  accepted.by = "anna";
  accepted.changed = WallTime(std::chrono::seconds(9));
  PinRecord gone = record("u", "b");  // of a host that has not read the definition yet
  gone.offered = false;
  ASSERT_TRUE(store_->pins().put({accepted, gone}));
  accepted.offered = false;
  EXPECT_THAT(store_->pins().list().value(), ::testing::ElementsAre(accepted));
  gone.accepted.clear();
  ASSERT_TRUE(store_->pins().put({gone}));
  EXPECT_THAT(store_->pins().list().value(), ::testing::ElementsAre(accepted));
}

// The same definition can have its members in another order.
TEST_F(PinStoreTest, TheOrderOfMembersMakesNoOtherDefinition) {
  const auto database = Sqlite::open(folder_ / "toolpost.db").value();
  const auto at_parent = [&](const std::string& definition) {
    const std::string sql =
        "INSERT OR REPLACE INTO upstream_held (upstream, tool, pid, process, held, changed) VALUES "
        "('u', 'b', " +
        std::to_string(::getppid()) + ", '" + mark_of_process(::getppid()) + "', '" + definition +
        "', 6000)";
    ASSERT_TRUE(database->run(sql.c_str()));
  };
  PinRecord held = record("u", "b");
  held.held = R"({"x":1,"y":2})";
  ASSERT_TRUE(store_->pins().put({held}));
  at_parent(R"({"y":2,"x":1})");
  EXPECT_EQ(store_->pins().held()->size(), 1u);
  PinRecord accepted = record("u", "b");
  accepted.accepted = held.held;
  ASSERT_TRUE(store_->pins().put({accepted}));
  EXPECT_EQ(store_->pins().held()->size(), 0u);
  Statement rows = database->prepare("SELECT count(*) FROM upstream_held").value();
  ASSERT_TRUE(rows.step().value());
  EXPECT_EQ(rows.number(0), 0u);
  held.held = R"({"y":2,"x":1})";
  ASSERT_TRUE(store_->pins().put({held}));
  EXPECT_THAT(store_->pins().list().value(), ::testing::ElementsAre(accepted));
}

TEST_F(PinStoreTest, ManyHostsWithOneDefinitionReplaceNoOther) {
  const auto database = Sqlite::open(folder_ / "toolpost.db").value();
  std::string unseen = mark_of_process(::getpid());
  unseen.insert(unseen.find('/') + 1, "another");
  const auto hold = [&](int pid, const std::string& definition) {
    const std::string sql =
        "INSERT INTO upstream_held (upstream, tool, pid, process, held, changed) VALUES ('u', "
        "'b', " +
        std::to_string(pid) + ", '" + unseen + "', '" + definition + "', " +
        std::to_string(pid * 1000) + ")";
    ASSERT_TRUE(database->run(sql.c_str()));
  };
  hold(1, "old");
  for (int pid = 2; pid < 22; ++pid) hold(pid, "new");
  PinRecord own = record("u", "b");
  own.held = "own";
  ASSERT_TRUE(store_->pins().put({own}));
  std::vector<std::string> held;
  const auto all = store_->pins().held();
  for (const PinRecord& one : all.value()) held.push_back(one.held);
  EXPECT_THAT(held, ::testing::UnorderedElementsAre("old", "new", "own"));
  Statement rows = database->prepare("SELECT count(*) FROM upstream_held").value();
  ASSERT_TRUE(rows.step().value());
  EXPECT_EQ(rows.number(0), 8u + 2u);
}

TEST_F(PinStoreTest, ForgetsAnUpstream) {
  ASSERT_TRUE(store_->pins().put({record("u", "b"), record("v", "b")}));
  ASSERT_TRUE(store_->pins().forget("u"));
  EXPECT_THAT(store_->pins().list().value(), ::testing::ElementsAre(record("v", "b")));
}

}  // namespace
}  // namespace host::store
