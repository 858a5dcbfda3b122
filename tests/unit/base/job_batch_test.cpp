#include "base/job_batch.h"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace host {
namespace {

class JobBatchTest : public testing::Test {
 protected:
  // Adds a job of `steps` steps, which notes each of them, and its end.
  void add(char name, int steps) {
    batch->run(
        [this, name, left = steps]() mutable {
          done_in_thread += name;
          return --left > 0;
        },
        [this, name] { ended += name; });
  }

  boost::asio::io_context io;
  const std::shared_ptr<JobThread> jobs = std::make_shared<JobThread>(io.get_executor());
  const std::shared_ptr<JobBatch> batch = std::make_shared<JobBatch>(jobs);
  std::string done_in_thread;
  std::string ended;
};

TEST_F(JobBatchTest, RunsEachJobByItselfUnlessItGathers) {
  add('a', 1);
  add('b', 1);
  io.run_one();
  EXPECT_EQ(ended, "a");
  io.run();
  EXPECT_EQ(ended, "ab");
}

TEST_F(JobBatchTest, GatheredJobsEndTogetherInTheirOrder) {
  batch->gather([&] {
    add('a', 3);
    add('b', 1);
    add('c', 2);
    EXPECT_EQ(done_in_thread, "");
  });
  io.run_one();  // one handler has the ends of all
  EXPECT_EQ(ended, "abc");
  EXPECT_EQ(done_in_thread, "aaabcc");
  EXPECT_EQ(io.run(), 0u);
}

TEST_F(JobBatchTest, JobsThatBeginAtTheEndOfOthersAreGatheredAgain) {
  const auto then = [this](char name) {
    batch->run([] { return false; },
               [this, name] {
                 ended += name;
                 add('z', 1);
               });
  };
  batch->gather([&] {
    then('a');
    then('b');
  });
  io.run_one();
  EXPECT_EQ(ended, "ab");
  io.run_one();
  EXPECT_EQ(ended, "abzz");
  add('c', 1);  // it gathers no more
  io.restart();
  io.run();
  EXPECT_EQ(ended, "abzzc");
}

TEST_F(JobBatchTest, WithoutAJobThereIsNothingToRun) {
  batch->gather([] {});
  EXPECT_EQ(io.run(), 0u);
}

TEST_F(JobBatchTest, DoesNotGatherAfterAnException) {
  EXPECT_THROW(batch->gather([] { throw std::runtime_error("no"); }), std::runtime_error);
  add('a', 1);
  io.run();
  EXPECT_EQ(ended, "a");
}

}  // namespace
}  // namespace host
