#include <optional>

#include <sqlite3.h>

#include "unit/plugins/plugin_test.h"

namespace {

class Warehouse : public testing::Test {
 protected:
  Warehouse() { open(); }

  void open() {
    plugin_.emplace(library("warehouse"), R"({"folder":)" + json_text(folder_.root.string()) + "}");
  }
  std::string call(const std::string& tool, const std::string& args) {
    return told(*plugin_, tool, args);
  }
  // "on hand/reserved" of an item at a location.
  std::string level(const std::string& item, int location) {
    const std::string answer = call(
        "get_stock", R"({"item":")" + item + R"(","location":)" + std::to_string(location) + "}");
    const auto number = [&](const std::string& key) {
      const std::size_t at = answer.find('"' + key + "\":");
      return at == answer.npos ? -1 : std::stol(answer.substr(at + key.size() + 3));
    };
    return std::to_string(number("on_hand")) + "/" + std::to_string(number("reserved"));
  }
  std::string reserve(const std::string& order, int quantity) {
    return call("pre_reserve_stock", R"({"order":")" + order +
                                         R"(","item":"gear-12","location":1,"quantity":)" +
                                         std::to_string(quantity) + "}");
  }
  std::string move(const std::string& item, int from, int to, int quantity) {
    return call("pre_move_stock", R"({"item":")" + item + R"(","from":)" + std::to_string(from) +
                                      R"(,"to":)" + std::to_string(to) + R"(,"quantity":)" +
                                      std::to_string(quantity) + "}");
  }

  Folder folder_;
  std::optional<fake::Plugin> plugin_;
};

TEST_F(Warehouse, HasAToolOfEveryClass) {
  for (const char* name : {"get_locations", "get_stock", "get_orders", "post_move_stock"})
    EXPECT_NE(plugin_->tool(plugin_->index_of(name)).flags & TP_TOOL_READ_ONLY, 0u) << name;
  for (const char* name : {"pre_reserve_stock", "pre_move_stock", "priv_approve_order", "_recount"})
    EXPECT_EQ(plugin_->tool(plugin_->index_of(name)).flags & TP_TOOL_READ_ONLY, 0u) << name;
}

TEST_F(Warehouse, TellsLocationsAndLevels) {
  EXPECT_EQ(call("get_locations", "{}"),
            R"({"locations":[{"id":1,"name":"Main warehouse","use_bins":true,"active":true},)"
            R"({"id":2,"name":"Shop","use_bins":false,"active":true}]})");
  EXPECT_NE(call("get_locations", R"({"include_inactive":true})").find("Old depot"),
            std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "12/0");
  EXPECT_NE(call("get_stock", R"({"item":"wheel"})").find("there is no item \"wheel\""),
            std::string::npos);
  EXPECT_NE(call("get_stock", R"({"location":9})").find("no active location 9"), std::string::npos);
}

TEST_F(Warehouse, ReservesWhatIsAvailableOnce) {
  EXPECT_NE(reserve("A-1", 10).find(R"("status":"open")"), std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "12/10");
  EXPECT_NE(reserve("A-1", 10).find(R"("status":"open")"), std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "12/10") << "the same order told twice is one";
  EXPECT_NE(reserve("A-1", 1).find("there is an order A-1 already"), std::string::npos);
  EXPECT_NE(reserve("A-2", 3).find("only 2 gear-12 are available at location 1, of 12 on hand"),
            std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "12/10");
}

TEST_F(Warehouse, MovesWhatIsNotPromisedAndTellsAfterwardsWhatRanLow) {
  reserve("A-1", 5);
  EXPECT_NE(move("gear-12", 1, 2, 8).find("only 7 gear-12 are available"), std::string::npos);
  EXPECT_NE(move("gear-12", 1, 3, 1).find("no active location 3"), std::string::npos);
  EXPECT_NE(move("gear-12", 1, 1, 1).find("the same location"), std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "12/5");
  EXPECT_NE(move("gear-12", 1, 2, 3).find(R"({"movement":6,"levels":[)"), std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "9/5");
  EXPECT_EQ(level("gear-12", 2), "3/0");
  const std::string low =
      call("post_move_stock", R"({"arguments":{"item":"gear-12","from":1,"to":2,"quantity":3}})");
  EXPECT_NE(low.find(R"({"low":[{"item":"gear-12")"), std::string::npos) << low;
  EXPECT_EQ(low.find("bolt-m8"), std::string::npos) << low;
}

TEST_F(Warehouse, AnApprovedOrderLeavesOnce) {
  reserve("A-1", 5);
  EXPECT_NE(call("priv_approve_order", R"({"order":"A-1"})").find(R"("status":"approved")"),
            std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "7/0");
  EXPECT_NE(call("priv_approve_order", R"({"order":"A-1"})").find("has been approved already"),
            std::string::npos);
  EXPECT_NE(call("priv_approve_order", R"({"order":"B"})").find("there is no order B"),
            std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "7/0");
  EXPECT_EQ(call("get_orders", R"({"status":"open"})"), R"({"orders":[]})");
  EXPECT_NE(call("get_orders", "{}").find("A-1"), std::string::npos);
}

TEST_F(Warehouse, ARecountSetsLevelsRight) {
  reserve("A-1", 5);
  EXPECT_EQ(call("_recount", "{}"), R"({"levels":[]})");
  plugin_.reset();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.at("stock.db").c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "UPDATE level SET on_hand = 99 WHERE item = 'gear-12'", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  open();
  EXPECT_NE(call("_recount", "{}").find(R"("item":"gear-12")"), std::string::npos);
  EXPECT_EQ(level("gear-12", 1), "99/5");
  call("_recount", R"({"mend":true})");
  EXPECT_EQ(level("gear-12", 1), "12/5");
  EXPECT_EQ(call("_recount", "{}"), R"({"levels":[]})");
}

TEST_F(Warehouse, KeepsItsStockInItsFolderAndElseInMemory) {
  move("bolt-m8", 1, 2, 100);
  open();
  EXPECT_EQ(level("bolt-m8", 2), "140/0");
  plugin_.emplace(library("warehouse"), "{}");
  EXPECT_EQ(level("bolt-m8", 2), "40/0");
  plugin_.emplace(library("warehouse"), R"({"folder":"relative"})");
  EXPECT_EQ(plugin_->created(), TP_E_INVALID);
  plugin_.emplace(library("warehouse"), R"({"folder":"/nowhere/at/all"})");
  EXPECT_NE(call("get_stock", "{}").find("the warehouse's file: unable to open"),
            std::string::npos);
}

}  // namespace
