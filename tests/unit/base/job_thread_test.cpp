#include "base/job_thread.h"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace host {
namespace {

// Its context calls it when the context is being destroyed.
class AtEnd final : public boost::asio::execution_context::service {
 public:
  using key_type = AtEnd;
  inline static boost::asio::execution_context::id id;

  AtEnd(boost::asio::execution_context& context, std::function<void()> act)
      : service(context), act_(std::move(act)) {}

 private:
  void shutdown() override { act_(); }
  const std::function<void()> act_;
};

TEST(JobThread, RunsStepsElsewhereAndReportsTheEndHere) {
  boost::asio::io_context io;
  JobThread jobs(io.get_executor());
  int steps = 0;
  std::thread::id there;
  std::thread::id here;
  jobs.run(
      [&] {
        there = std::this_thread::get_id();
        return ++steps < 3;
      },
      [&] { here = std::this_thread::get_id(); });
  io.run();  // ends once nothing is left to do
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(here, std::this_thread::get_id());
  EXPECT_NE(there, here);
}

TEST(JobThread, ALongJobLetsOthersHaveTheirTurn) {
  boost::asio::io_context io;
  JobThread jobs(io.get_executor());
  std::promise<void> both_are_there;
  std::string order;
  jobs.run(
      [&, there = both_are_there.get_future().share()] {
        there.wait();
        order += 'a';
        return order != "abaa";
      },
      [] {});
  jobs.run(
      [&] {
        order += 'b';
        return false;
      },
      [] {});
  both_are_there.set_value();
  io.run();
  EXPECT_EQ(order, "abaa");
}

TEST(JobThread, JobsOfOneStepEndInTheirOrder) {
  boost::asio::io_context io;
  JobThread jobs(io.get_executor());
  std::string order;
  for (const char c : {'1', '2', '3', '4', '5'})
    jobs.run([] { return false; }, [&order, c] { order += c; });
  io.run();
  EXPECT_EQ(order, "12345");
}

TEST(JobThread, AnExceptionOfAStepIsThrownOnTheIoThread) {
  boost::asio::io_context io;
  JobThread jobs(io.get_executor());
  jobs.run([]() -> bool { throw std::runtime_error("broken"); }, [] { FAIL(); });
  EXPECT_THROW(io.run(), std::runtime_error);
}

TEST(JobThread, JobsThatHaveNotBegunAreDroppedWithTheThread) {
  boost::asio::io_context io;
  std::promise<void> begun;
  std::promise<void> go;
  bool reported = false;
  {
    JobThread jobs(io.get_executor());
    jobs.run(
        [&] {
          begun.set_value();
          go.get_future().wait();
          return true;  // a second step, which does not come
        },
        [&] { reported = true; });
    jobs.run([] { return false; }, [&] { reported = true; });
    begun.get_future().wait();
    jobs.stop();
    go.set_value();
  }
  io.run();  // has nothing to wait for
  EXPECT_FALSE(reported);
}

TEST(JobThread, ItsContextWaitsForAStepWhoseJobOwnsTheThread) {
  std::optional<boost::asio::io_context> io(std::in_place);
  auto jobs = std::make_shared<JobThread>(io->get_executor());
  const std::weak_ptr<JobThread> left = jobs;
  std::promise<void> begun;
  std::promise<void> go;
  std::atomic<bool> is_over = false;
  jobs->run(
      [&] {
        begun.set_value();
        go.get_future().wait();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // its work
        is_over = true;
        return false;
      },
      [jobs] {});
  jobs.reset();
  begun.get_future().wait();
  boost::asio::make_service<AtEnd>(*io, [&] { go.set_value(); });
  io.reset();
  EXPECT_TRUE(is_over);
  EXPECT_TRUE(left.expired());
}

}  // namespace
}  // namespace host
