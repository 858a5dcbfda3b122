// Results of calls with idempotency keys that end at the same time.
#include "router/step/kept_results.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/digest.h"
#include "store/store.h"

namespace host::router {
namespace {

namespace fs = std::filesystem;
using store::IdempotencyKey;
using State = store::IdempotencyMeeting::State;

class KeptResultsTest : public ::testing::Test {
 protected:
  KeptResultsTest() {
    std::string name = (fs::temp_directory_path() / "kept-results-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    desk_ = std::make_shared<store::Desk>(io_.get_executor(), [this] {
      return store::open_sqlite_store(folder_ / "toolpost.db", system_clock());
    });
    kept_ = std::make_shared<KeptResults>(io_.get_executor(), desk_);
  }
  ~KeptResultsTest() override {
    kept_.reset();
    desk_.reset();
    fs::remove_all(folder_);
  }

  static IdempotencyKey key(int number) { return {"anna", "echo", std::to_string(number)}; }

  State meet(int number) {
    store::Desk::Act<State> act = [number](store::Store& store) -> Result<State> {
      HOST_TRY_ASSIGN(const auto met, store.idempotency().meet(key(number), sha256("{}")));
      return met.state;
    };
    return desk_->ask_and_wait<State>(std::move(act)).value();
  }

  // The thread of the store waits until the returned object is set.
  std::promise<void> hold_store() {
    std::promise<void> release;
    desk_->tell([until = release.get_future().share()](store::Store&) { until.wait(); });
    return release;
  }

  void keep(int number) {
    boost::asio::co_spawn(
        io_,
        [this, number]() -> boost::asio::awaitable<void> {
          store::IdempotencyStore::Ended ended{key(number), tool::CallResult::text("x")};
          auto outcome = co_await kept_->keep(std::move(ended));
          (outcome ? stored_ : failed_).push_back(number);
        },
        [](std::exception_ptr fault) {
          if (fault) std::rethrow_exception(fault);
        });
  }

  fs::path folder_;
  boost::asio::io_context io_;
  std::shared_ptr<store::Desk> desk_;
  std::shared_ptr<KeptResults> kept_;
  std::vector<int> stored_;
  std::vector<int> failed_;
};

TEST_F(KeptResultsTest, WhatEndsDuringAWriteIsStoredTogetherAndAFailureIsOfOneCall) {
  constexpr int kCalls = 600;  // more than one write takes
  constexpr int kUnclaimed = 300;
  for (int i = 0; i < kCalls; ++i) {
    if (i != kUnclaimed) {
      ASSERT_EQ(meet(i), State::Claimed);
    }
  }
  std::promise<void> release = hold_store();
  for (int i = 0; i < kCalls; ++i) keep(i);
  io_.poll();
  EXPECT_TRUE(stored_.empty());
  release.set_value();
  io_.restart();
  io_.run();  // returns when no result waits
  EXPECT_EQ(failed_, std::vector<int>{kUnclaimed});
  ASSERT_EQ(stored_.size(), std::size_t{kCalls - 1});
  EXPECT_TRUE(std::is_sorted(stored_.begin(), stored_.end()));
  for (int i = 0; i < kCalls; ++i) {
    EXPECT_EQ(meet(i), i == kUnclaimed ? State::Claimed : State::Kept) << i;
  }
}

TEST_F(KeptResultsTest, AResultAfterAllOthersIsStoredAtOnce) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(meet(i), State::Claimed);
    keep(i);
    io_.restart();
    io_.run();
    EXPECT_EQ(meet(i), State::Kept);
  }
  EXPECT_EQ(stored_, (std::vector<int>{0, 1, 2}));
}

TEST_F(KeptResultsTest, TheCallGoesOnInTheTurnOfTheEventLoopThatBringsItsOutcome) {
  ASSERT_EQ(meet(0), State::Claimed);
  keep(0);
  io_.run_one();  // begins the write
  io_.run_one();  // the store has answered
  EXPECT_EQ(stored_, std::vector<int>{0});
}

TEST_F(KeptResultsTest, ACallWhoseOutcomeIsNeverHandedOutEndsWithTheEventLoop) {
  ASSERT_EQ(meet(0), State::Claimed);
  const auto held = std::make_shared<int>();
  auto io = std::make_unique<boost::asio::io_context>();
  {
    const auto desk = std::make_shared<store::Desk>(io->get_executor(), [this] {
      return store::open_sqlite_store(folder_ / "toolpost.db", system_clock());
    });
    KeptResults kept(io->get_executor(), desk);
    boost::asio::co_spawn(
        *io,
        [](KeptResults& results, std::shared_ptr<int> mine) -> boost::asio::awaitable<void> {
          store::IdempotencyStore::Ended ended{key(0), tool::CallResult::text("x")};
          const auto outcome = co_await results.keep(std::move(ended));
          ADD_FAILURE() << *mine << outcome.has_value();
        }(kept, held),
        boost::asio::detached);
    io->poll();  // begins the write
    EXPECT_EQ(held.use_count(), 2);
    const store::Desk::Act<bool> after = [](store::Store&) -> Result<bool> { return true; };
    ASSERT_TRUE(desk->ask_and_wait<bool>(after));  // the outcome is on its way to the event loop
  }
  io.reset();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace host::router
