#include "store/part/host_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/process/process.h"
#include "store/store.h"
#include "support/manual_clock.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

class HostStoreTest : public ::testing::Test {
 protected:
  HostStoreTest() {
    std::string name = (fs::temp_directory_path() / "host-store-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    host_ = open();
    cli_ = open();
  }
  ~HostStoreTest() override { fs::remove_all(folder_); }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", system_clock()).value();
  }
  PluginOrder order(const std::string& id, const std::string& host) {
    PluginOrder made;
    made.id = id;
    made.host = host;
    made.action = "reload";
    made.plugin = "p";
    made.given_by = "cli:anna";
    made.created = system_clock().wall();
    return made;
  }

  fs::path folder_;
  std::unique_ptr<Store> host_;
  std::unique_ptr<Store> cli_;
};

TEST_F(HostStoreTest, ListsHostsUntilTheyRemoveThemselves) {
  ASSERT_TRUE(host_->hosts().add({"h", "127.0.0.1:1", 7, "mark", system_clock().wall()}));
  const auto listed = cli_->hosts().list();
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().address, "127.0.0.1:1");
  EXPECT_EQ(listed->front().pid, 7u);
  EXPECT_EQ(listed->front().process, "mark");
  ASSERT_TRUE(cli_->hosts().give(order("o", "h")));
  ASSERT_TRUE(host_->hosts().remove("h"));
  EXPECT_TRUE(cli_->hosts().list()->empty());
  EXPECT_FALSE(cli_->hosts().find("o")->has_value());
}

TEST_F(HostStoreTest, GivesEachOrderToItsHostOnce) {
  EXPECT_TRUE(*host_->hosts().changed_by_others());
  EXPECT_FALSE(*host_->hosts().changed_by_others());
  ASSERT_TRUE(cli_->hosts().give(order("o", "h")));
  ASSERT_TRUE(cli_->hosts().give(order("other", "another host")));
  EXPECT_TRUE(*host_->hosts().changed_by_others());
  const auto taken = host_->hosts().take("h");
  ASSERT_EQ(taken->size(), 1u);
  EXPECT_EQ(taken->front().plugin, "p");
  EXPECT_EQ(taken->front().given_by, "cli:anna");
  EXPECT_TRUE(host_->hosts().take("h")->empty());
  EXPECT_EQ((*cli_->hosts().find("o"))->state, OrderState::Taken);
  ASSERT_TRUE(host_->hosts().answer("o", OrderState::Failed, "no"));
  const auto answered = cli_->hosts().find("o");
  EXPECT_EQ((*answered)->state, OrderState::Failed);
  EXPECT_EQ((*answered)->answer, "no");
  ASSERT_TRUE(cli_->hosts().forget("o"));
  EXPECT_FALSE(cli_->hosts().find("o")->has_value());
}

// Its sender has given up, perhaps because somebody killed it.
TEST_F(HostStoreTest, AnOrderIsNotTakenAfterItsTime) {
  test::ManualClock clock;
  clock.advance(std::chrono::hours(24 * 365 * 50));
  host_ = open_sqlite_store(folder_ / "toolpost.db", clock).value();
  for (const char* const id : {"a", "b"}) {
    PluginOrder made = order(id, "h");
    made.created = clock.wall();
    made.take_by = made.created + std::chrono::seconds(id[0] == 'a' ? 10 : 60);
    ASSERT_TRUE(host_->hosts().give(made));
  }
  PluginOrder endless = order("c", "h");
  endless.created = clock.wall() + std::chrono::milliseconds(1);
  ASSERT_TRUE(host_->hosts().give(endless));
  clock.advance(std::chrono::seconds(11));
  const auto taken = host_->hosts().take("h");
  ASSERT_EQ(taken->size(), 2u);
  EXPECT_EQ(taken->at(0).id, "b");
  EXPECT_EQ(taken->at(1).id, "c");
}

// A command has removed it, because it did not answer and cannot be seen from here.
TEST_F(HostStoreTest, AHostThatMayStillRunKeepsItsOrders) {
  std::string unseen = mark_of_process(::getpid());
  unseen.insert(unseen.find('/') + 1, "another");
  const HostRecord host{"h", "127.0.0.1:1", 7, unseen, system_clock().wall()};
  ASSERT_TRUE(host_->hosts().add(host));
  ASSERT_TRUE(cli_->hosts().give(order("o", "h")));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(cli_->hosts().remove("h"));
  EXPECT_TRUE(cli_->hosts().list()->empty());
  ASSERT_TRUE(host_->hosts().add(host));
  ASSERT_EQ(host_->hosts().take("h")->size(), 1u);
}

TEST_F(HostStoreTest, AnOrderWithoutALimitWaitsForAWeek) {
  test::ManualClock clock;
  clock.advance(std::chrono::hours(24 * 365 * 50));
  host_ = open_sqlite_store(folder_ / "toolpost.db", clock).value();
  const auto give = [&](const std::string& id, const std::string& to, bool has_limit) {
    PluginOrder made = order(id, to);
    made.created = clock.wall();
    if (has_limit) made.take_by = made.created + std::chrono::seconds(10);
    ASSERT_TRUE(host_->hosts().give(made));
  };
  const auto is_there = [&](const std::string& id) { return host_->hosts().find(id)->has_value(); };
  give("limited", "h", true);
  give("endless", "h", false);
  give("taken", "other", false);
  ASSERT_EQ(host_->hosts().take("other")->size(), 1u);
  clock.advance(std::chrono::hours(2));
  give("later", "h", false);
  EXPECT_TRUE(is_there("endless"));
  EXPECT_FALSE(is_there("limited") || is_there("taken"));
  clock.advance(std::chrono::hours(24 * 7 + 1));
  give("last", "h", false);
  EXPECT_FALSE(is_there("endless") || is_there("later"));
}

TEST_F(HostStoreTest, WithdrawsWhatNoHostHasBegun) {
  ASSERT_TRUE(cli_->hosts().give(order("a", "h")));
  EXPECT_TRUE(*cli_->hosts().withdraw("a"));
  EXPECT_TRUE(host_->hosts().take("h")->empty());
  ASSERT_TRUE(cli_->hosts().give(order("b", "h")));
  EXPECT_EQ(host_->hosts().take("h")->size(), 1u);
  EXPECT_FALSE(*cli_->hosts().withdraw("b"));
}

}  // namespace
}  // namespace host::store
