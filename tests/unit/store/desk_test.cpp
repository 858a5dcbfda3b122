#include "store/desk.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "store/sqlite/sqlite.h"
#include "support/small_disk.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

class DeskTest : public ::testing::Test {
 protected:
  DeskTest() {
    std::string name = (fs::temp_directory_path() / "desk-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    desk_ = std::make_shared<Desk>(io_.get_executor(), [this] {
      return open_sqlite_store(folder_ / "toolpost.db", system_clock());
    });
  }
  ~DeskTest() override {
    desk_.reset();
    fs::remove_all(folder_);
  }

  static Desk::Act<bool> write(const std::string& value) {
    return [value](Store& store) -> Result<bool> {
      HOST_TRY(store.kv().set({"p", ""}, "k", value, kAnyVersion, {}));
      return true;
    };
  }

  fs::path folder_;
  boost::asio::io_context io_;
  std::shared_ptr<Desk> desk_;
};

TEST_F(DeskTest, DoesOneThingAfterTheOther) {
  EXPECT_FALSE(fs::exists(folder_ / "toolpost.db"));  // nothing is opened before it is wanted
  std::vector<int> done;
  for (int i = 0; i < 3; ++i) {
    Desk::Act<int> act = [i](Store&) -> Result<int> { return i; };
    desk_->ask<int>(std::move(act), [&done](Result<int> one) { done.push_back(*one); });
  }
  io_.run();
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
}

TEST_F(DeskTest, AnExceptionIsAnErrorForWhoAskedAndTheNextOneIsDone) {
  std::vector<Result<int>> done;
  const auto keep = [&done](Result<int> one) { done.push_back(std::move(one)); };
  desk_->ask<int>([](Store&) -> Result<int> { throw std::runtime_error("full"); }, keep);
  desk_->ask<int>([](Store&) -> Result<int> { return 7; }, keep);
  io_.run();
  ASSERT_EQ(done.size(), 2u);
  std::stable_partition(done.begin(), done.end(), [](const auto& one) { return !one; });
  EXPECT_EQ(done[0].error().kind, ErrorKind::Internal);
  EXPECT_EQ(done[1].value(), 7);
}

TEST_F(DeskTest, TellsOfAStoreThatCannotWriteAndTriesItAgain) {
  ASSERT_TRUE(desk_->ask_and_wait<bool>(write("before")));
  {
    const test::SmallDisk small(4096);
    EXPECT_FALSE(desk_->ask_and_wait<bool>(write(std::string(100'000, 'x'))));
    EXPECT_NE(desk_->fault(), "");
    Desk::Act<std::string> read = [](Store& store) -> Result<std::string> {
      HOST_TRY_ASSIGN(auto value, store.kv().get({"p", ""}, "k"));
      return std::move(value.bytes);
    };
    EXPECT_EQ(desk_->ask_and_wait<std::string>(read).value(), "before");
    EXPECT_NE(desk_->fault(), "");  // to read says nothing about that
    Desk::Act<bool> change_nothing = [](Store& store) -> Result<bool> {
      HOST_TRY(store.keys().tidy({}));             // a transaction
      EXPECT_FALSE(store.rules().remove("none"));  // a statement by itself
      return true;
    };
    EXPECT_TRUE(desk_->ask_and_wait<bool>(change_nothing));
    EXPECT_NE(desk_->fault(), "");  // nor does a write that changes nothing
  }
  io_.run();  // it is tried again until it goes
  EXPECT_EQ(desk_->fault(), "");
}

TEST_F(DeskTest, TellsOfAnotherProgramThatLocksTheStore) {
  ASSERT_TRUE(desk_->ask_and_wait<bool>(write("before")));
  {
    const auto other = Sqlite::open(folder_ / "toolpost.db").value();
    const Transaction lock = Transaction::begin(*other).value();
    EXPECT_FALSE(desk_->ask_and_wait<bool>(write("locked out")));
    EXPECT_NE(desk_->fault(), "");
  }
  io_.run();  // it is tried again until it goes
  EXPECT_EQ(desk_->fault(), "");
}

TEST_F(DeskTest, AStoreThatCannotBeOpenedIsOpenedLater) {
  fs::create_directories(folder_ / "toolpost.db");
  EXPECT_FALSE(desk_->ask_and_wait<bool>(write("a")));
  EXPECT_NE(desk_->fault(), "");
  fs::remove(folder_ / "toolpost.db");
  EXPECT_TRUE(desk_->ask_and_wait<bool>(write("a")));
  EXPECT_EQ(desk_->fault(), "");
}

}  // namespace
}  // namespace host::store
