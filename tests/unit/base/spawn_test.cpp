#include "base/process/spawn.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/on_executor.h"

namespace host {
namespace {

namespace asio = boost::asio;

constexpr Task kTask{"base", "is tested"};

class Spawn : public ::testing::Test {
 protected:
  // How it ended, and what was logged.
  void run(std::function<asio::awaitable<void>()> work) {
    testing::internal::CaptureStderr();
    spawn(io_.get_executor(), kTask, std::move(work), [this](const Result<void>& how) {
      ended_ = how;
      ++times_;
    });
    io_.run();
    logged_ = testing::internal::GetCapturedStderr();
  }

  asio::io_context io_;
  std::optional<Result<void>> ended_;
  int times_ = 0;
  bool alive_later_ = false;
  std::string logged_;
};

TEST_F(Spawn, TellsTheEndOnce) {
  run([]() -> asio::awaitable<void> { co_return; });
  EXPECT_EQ(times_, 1);
  EXPECT_TRUE(ended_ && *ended_);
  EXPECT_EQ(logged_, "");
}

TEST_F(Spawn, LogsAnExceptionAndFailsWhatWaits) {
  run([]() -> asio::awaitable<void> {
    throw std::runtime_error("no such luck");
    co_return;
  });
  EXPECT_EQ(times_, 1);
  ASSERT_TRUE(ended_ && !*ended_);
  EXPECT_EQ(ended_->error().kind, ErrorKind::Internal);
  const std::string told = ended_->error().message;
  ASSERT_TRUE(told.starts_with("internal error ")) << told;
  const std::string id = told.substr(15, told.find(':') - 15);
  EXPECT_NE(logged_.find(id), std::string::npos) << told << logged_;
  EXPECT_NE(logged_.find("a task ended by an exception"), std::string::npos) << logged_;
  EXPECT_NE(logged_.find("is tested"), std::string::npos) << logged_;
  EXPECT_NE(logged_.find("no such luck"), std::string::npos) << logged_;
}

TEST_F(Spawn, LogsWhatIsNoStandardException) {
  run([]() -> asio::awaitable<void> {
    throw 1;
    co_return;
  });
  ASSERT_TRUE(ended_ && !*ended_);
  EXPECT_NE(logged_.find("an unknown exception"), std::string::npos) << logged_;
}

TEST_F(Spawn, LogsAlsoWhereNobodyWaits) {
  testing::internal::CaptureStderr();
  auto work = []() -> asio::awaitable<void> {
    throw std::runtime_error("unheard");
    co_return;
  };
  spawn(io_.get_executor(), kTask, work());
  io_.run();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("unheard"), std::string::npos);
}

TEST_F(Spawn, KeepsTheFunctionUntilItsCoroutineHasEnded) {
  std::weak_ptr<int> watched;
  {
    auto held = std::make_shared<int>(1);
    watched = held;
    auto work = [held = std::move(held), watched, this]() -> asio::awaitable<void> {
      co_await asio::post(io_, asio::use_awaitable);
      alive_later_ = !watched.expired();
    };
    run(std::move(work));
  }
  EXPECT_TRUE(alive_later_);
  EXPECT_TRUE(watched.expired());
}

TEST_F(Spawn, TheMainTasksExceptionLeavesTheLoop) {
  spawn_main(io_.get_executor(), []() -> asio::awaitable<void> {
    throw std::runtime_error("ends the program");
    co_return;
  });
  EXPECT_THROW(io_.run(), std::runtime_error);
}

// It would end the whole process there.
TEST_F(Spawn, AnExceptionOnAnotherExecutorComesBackToTheCoroutine) {
  asio::thread_pool pool(1);
  std::function<int()> work = []() -> int { throw std::runtime_error("over there"); };
  run([&]() -> asio::awaitable<void> {
    static_cast<void>(co_await on_executor<int>(pool.get_executor(), work));
  });
  pool.join();
  ASSERT_TRUE(ended_ && !*ended_);
  EXPECT_NE(logged_.find("over there"), std::string::npos) << logged_;
}

}  // namespace
}  // namespace host
