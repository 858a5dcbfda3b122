#include "plugin/process/worker_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace host::plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WorkerOutputs : public ::testing::Test {
 protected:
  WorkerOutputs() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    theirs_.reset(ends[1]);
    output_ = std::make_shared<WorkerOutput>(loop_->get_executor(), "zoo", Redactor());
    output_->open(UniqueFd(ends[0]));
  }
  void write(std::string_view text) {
    ASSERT_EQ(::write(theirs_.get(), text.data(), text.size()), std::ssize(text));
  }
  void poll() {
    loop_->restart();
    loop_->poll();
  }
  void poll_until_a_line() {
    while (lines().empty()) poll();
  }
  std::vector<std::string> lines() const { return output_->log().last_lines(5); }

  std::optional<boost::asio::io_context> loop_{std::in_place, 1};
  UniqueFd theirs_;
  std::shared_ptr<WorkerOutput> output_;
};

TEST_F(WorkerOutputs, ReadsLinesAsTheyArrive) {
  write("one\ntw");
  poll();
  EXPECT_THAT(lines(), ElementsAre("one"));
  write("o\n");
  poll();
  EXPECT_THAT(lines(), ElementsAre("one", "two"));
}

TEST_F(WorkerOutputs, TheEndOfThePipeEndsTheLastLine) {
  write("no newline");
  theirs_.reset();
  poll();
  EXPECT_THAT(lines(), ElementsAre("no newline"));
  EXPECT_EQ(loop_->poll(), 0u) << "nothing is read after the end";
}

TEST_F(WorkerOutputs, ReadsTheRestWithoutATurnOfTheEventLoop) {
  std::string text(10'000, 'x');
  write(text + "\nlast words");
  output_->read_rest();
  EXPECT_EQ(lines().back(), "last words");
}

TEST_F(WorkerOutputs, ReadsOnAfterTheRest) {
  output_->read_rest();
  write("more\n");
  poll();
  EXPECT_THAT(lines(), ElementsAre("more"));
}

// As a child of a dead worker does that writes as fast as the host reads.
TEST_F(WorkerOutputs, ReadsTheRestOnlyUpToALimit) {
  std::signal(SIGPIPE, SIG_IGN);
  std::thread child([fd = theirs_.get()] {
    const std::string line = std::string(4095, 'x') + '\n';
    while (::write(fd, line.data(), line.size()) > 0) continue;
  });
  poll_until_a_line();
  output_->read_rest();
  output_->close();
  child.join();
  EXPECT_FALSE(lines().empty());
}

TEST_F(WorkerOutputs, ReadsNothingOnceItIsClosed) {
  const std::weak_ptr<WorkerOutput> left = output_;
  output_->close();
  poll();
  EXPECT_THAT(lines(), IsEmpty());
  output_.reset();
  EXPECT_TRUE(left.expired());
}

TEST_F(WorkerOutputs, IsNotLeftWhenTheLoopIsDestroyed) {
  const std::weak_ptr<WorkerOutput> left = output_;
  output_.reset();
  EXPECT_FALSE(left.expired());
  loop_.reset();
  EXPECT_TRUE(left.expired());
}

TEST_F(WorkerOutputs, GivesACallOnlyItsOwnLinesOfASharedWorker) {
  write("of anybody\n");
  poll();
  output_->log().plugin_line(6, "of the call", "", 7);
  WorkerDeath alone;
  alone.culprit = 7;
  output_->add_last_lines(alone, false);
  EXPECT_EQ(alone.own_lines, alone.last_lines);
  WorkerDeath shared;
  shared.culprit = 7;
  output_->add_last_lines(shared, true);
  EXPECT_EQ(shared.last_lines, alone.last_lines);
  EXPECT_THAT(shared.own_lines, ElementsAre(::testing::HasSubstr("of the call")));
  WorkerDeath unknown;
  output_->add_last_lines(unknown, true);
  EXPECT_THAT(unknown.own_lines, IsEmpty());
}

}  // namespace
}  // namespace host::plugin
