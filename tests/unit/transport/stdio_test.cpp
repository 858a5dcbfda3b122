#include "transport/stdio.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace host::transport {
namespace {

// Answers each line with itself, and closes at the end.
class Echo : public LineHandler {
 public:
  void on_line(std::string_view line) override {
    lines.emplace_back(line);
    stdio->send("<" + std::string(line) + ">");
  }
  void on_overlong_line(std::string_view piece, bool last) override {
    overlong_text += piece;
    if (!last) return;
    ++overlong;
    stdio->send("overlong");
  }
  void on_end() override {
    ++ends;
    stdio->close();
  }

  void on_drained() override { ++drained; }

  Stdio* stdio = nullptr;
  int drained = 0;
  std::vector<std::string> lines;
  int overlong = 0;
  std::string overlong_text;
  int ends = 0;
};

struct Ends {
  UniqueFd read, write;
};
Ends make_pipe() {
  int fds[2];
  EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

std::string read_all(int fd) {
  std::string all;
  char bytes[65536];
  for (ssize_t count; (count = ::read(fd, bytes, sizeof bytes)) > 0;)
    all.append(bytes, static_cast<std::size_t>(count));
  return all;
}

class StdioTest : public ::testing::Test {
 protected:
  // Feeds `input` through a pipe and gives what came out.
  std::string run(const std::string& input, StdioOptions options = {}) {
    Ends in = make_pipe();
    Ends out = make_pipe();
    std::thread writer([&] {
      std::string_view rest = input;
      while (!rest.empty()) {
        const ssize_t count = ::write(in.write.get(), rest.data(), rest.size());
        if (count <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(count));
      }
      in.write.reset();
    });
    std::string got;
    std::thread reader([&] { got = read_all(out.read.get()); });
    serve(in.read.get(), out.write.get(), std::move(options));
    out.write.reset();
    writer.join();
    reader.join();
    return got;
  }

  void serve(int in, int out, StdioOptions options = {}) {
    boost::asio::io_context io(1);
    Stdio stdio(io, in, out, std::move(options));
    echo_.stdio = &stdio;
    stdio.start(echo_);
    io.run();
  }

  Echo echo_;
};

TEST_F(StdioTest, AnswersEachLineAndEndsWithTheInput) {
  EXPECT_EQ(run("one\ntwo\r\n\n\r\nthree\n"), "<one>\n<two>\n<three>\n");
  EXPECT_EQ(echo_.ends, 1);
}

TEST_F(StdioTest, TakesALastLineWithoutANewline) {
  EXPECT_EQ(run("one\ntwo"), "<one>\n<two>\n");
}

TEST_F(StdioTest, AnswersAllLinesOfOneReadInOneWrite) {
  int writes = 0;
  StdioOptions options;
  options.before_write = [&] { ++writes; };
  std::string input;
  for (int i = 0; i < 64; ++i) input += "call " + std::to_string(i) + "\n";
  Ends in = make_pipe();
  ASSERT_EQ(::write(in.write.get(), input.data(), input.size()),
            static_cast<ssize_t>(input.size()));
  in.write.reset();
  Ends out = make_pipe();
  serve(in.read.get(), out.write.get(), options);
  EXPECT_EQ(echo_.lines.size(), 64u);
  EXPECT_EQ(writes, 1);
}

TEST_F(StdioTest, TheLastMessageLeavesAtOnceBehindThoseBeforeIt) {
  int writes = 0;
  StdioOptions options;
  options.before_write = [&] { ++writes; };
  Ends in = make_pipe();
  Ends out = make_pipe();
  boost::asio::io_context io(1);
  Stdio stdio(io, in.read.get(), out.write.get(), std::move(options));
  echo_.stdio = &stdio;
  stdio.start(echo_);
  io.poll();
  stdio.send("first");
  stdio.send_last("last");
  EXPECT_EQ(writes, 1);
  char bytes[64];
  ASSERT_EQ(::read(out.read.get(), bytes, sizeof bytes), 11);
  EXPECT_EQ(std::string(bytes, 11), "first\nlast\n");
  io.poll();
  EXPECT_EQ(writes, 1);
}

TEST_F(StdioTest, WhatTheLastMessageCannotWriteFollowsLaterInOrder) {
  Ends in = make_pipe();
  Ends out = make_pipe();
  boost::asio::io_context io(1);
  auto stdio = std::make_unique<Stdio>(io, in.read.get(), out.write.get());
  echo_.stdio = stdio.get();
  stdio->start(echo_);
  io.poll();
  const std::string large(300'000, 'x');  // larger than any pipe
  stdio->send_last(large);
  stdio->send_last("end");
  std::string got;
  std::thread reader([&] { got = read_all(out.read.get()); });
  in.write.reset();
  io.run();
  stdio.reset();  // it has a descriptor of its own
  out.write.reset();
  reader.join();
  EXPECT_EQ(got, large + "\nend\n");
}

TEST_F(StdioTest, TheLastMessageTellsNobodyThatThePeerIsGone) {
  Ends in = make_pipe();
  Ends out = make_pipe();
  out.read.reset();
  boost::asio::io_context io(1);
  Stdio stdio(io, in.read.get(), out.write.get());
  echo_.stdio = &stdio;
  stdio.start(echo_);
  io.poll();
  stdio.send_last("lost");
  EXPECT_EQ(echo_.ends, 0);  // the caller may not expect a call of its handler
  io.run();
  EXPECT_EQ(echo_.ends, 1);
}

TEST_F(StdioTest, SkipsAnOverlongLineAndServesTheNext) {
  StdioOptions options;
  options.line_bytes = 100;
  const std::string fits(100, 'f');
  EXPECT_EQ(
      run(std::string(101, 'x') + "\nok\n" + std::string(1'000'000, 'y') + "\n" + fits + "\r\n",
          options),
      "overlong\n<ok>\noverlong\n<" + fits + ">\n");
  EXPECT_EQ(echo_.overlong, 2);
  EXPECT_EQ(echo_.overlong_text, std::string(101, 'x') + std::string(1'000'000, 'y'));
}

TEST_F(StdioTest, CarriesLinesLargerThanAnyPipe) {
  const std::string big(3'000'000, 'b');
  EXPECT_EQ(run(big + "\n" + big + "\n"), "<" + big + ">\n<" + big + ">\n");
}

TEST_F(StdioTest, IsBehindWhileTheBacklogIsFull) {
  StdioOptions options;
  options.backlog_bytes = 100;
  Ends in = make_pipe();
  Ends out = make_pipe();
  boost::asio::io_context io(1);
  Stdio stdio(io, in.read.get(), out.write.get(), options);
  echo_.stdio = &stdio;
  stdio.start(echo_);
  stdio.send(std::string(98, 'x'));  // and a newline
  EXPECT_FALSE(stdio.is_behind());
  EXPECT_EQ(echo_.drained, 0);
  stdio.send("");
  EXPECT_TRUE(stdio.is_behind());
  io.poll();
  EXPECT_FALSE(stdio.is_behind());
  EXPECT_EQ(echo_.drained, 1);
  stdio.send("little");
  io.poll();
  EXPECT_EQ(echo_.drained, 1);
}

TEST_F(StdioTest, TellsNothingAfterTheEnd) {
  struct Stays : Echo {
    void on_end() override {
      ++ends;
      stdio->send(std::string(100, 'x'));
    }
  } stays;
  StdioOptions options;
  options.backlog_bytes = 100;
  Ends in = make_pipe();
  Ends out = make_pipe();
  boost::asio::io_context io(1);
  Stdio stdio(io, in.read.get(), out.write.get(), options);
  stays.stdio = &stdio;
  in.write = UniqueFd();
  stdio.start(stays);
  io.poll();
  EXPECT_EQ(stays.ends, 1);
  EXPECT_FALSE(stdio.is_behind());
  EXPECT_EQ(stays.drained, 0);
}

TEST_F(StdioTest, StopsReadingWhileThePeerDoesNotTakeItsAnswers) {
  StdioOptions options;
  options.backlog_bytes = 1000;
  std::string input;
  std::string expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::string line = "line " + std::to_string(i);
    input += line + "\n";
    expected += "<" + line + ">\n";
  }
  EXPECT_EQ(run(input, options), expected);
}

TEST_F(StdioTest, ReadsARegularFileAndWritesOne) {
  std::FILE* in = std::tmpfile();
  std::FILE* out = std::tmpfile();
  std::fputs("from a file\nagain\n", in);
  std::rewind(in);
  serve(::fileno(in), ::fileno(out));
  std::rewind(out);
  EXPECT_EQ(read_all(::fileno(out)), "<from a file>\n<again>\n");
  std::fclose(in);
  std::fclose(out);
}

TEST_F(StdioTest, EndsAtOnceOnTheNullDevice) {
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  serve(null.get(), null.get());
  EXPECT_EQ(echo_.ends, 1);
}

TEST_F(StdioTest, WorksOnASocketAndLeavesItsFlagsAsTheyWere) {
  int fds[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  UniqueFd ours(fds[0]);
  UniqueFd theirs(fds[1]);
  ASSERT_EQ(::write(theirs.get(), "hello\n", 6), 6);
  ::shutdown(theirs.get(), SHUT_WR);
  const int before = ::fcntl(ours.get(), F_GETFL);
  serve(ours.get(), ours.get());
  EXPECT_EQ(::fcntl(ours.get(), F_GETFL), before);
  ours.reset();
  EXPECT_EQ(read_all(theirs.get()), "<hello>\n");
}

TEST_F(StdioTest, EndsQuietlyWhenNobodyReads) {
  Ends in = make_pipe();
  Ends out = make_pipe();
  out.read.reset();
  ASSERT_EQ(::write(in.write.get(), "lost\n", 5), 5);
  serve(in.read.get(), out.write.get());  // the input stays open
  EXPECT_EQ(echo_.ends, 1);
}

TEST_F(StdioTest, MayBeDestroyedInACallback) {
  struct Destroyer : LineHandler {
    void on_line(std::string_view) override {
      ++lines;
      stdio.reset();
    }
    void on_overlong_line(std::string_view, bool) override {}
    void on_end() override {}
    std::unique_ptr<Stdio> stdio;
    int lines = 0;
  } destroyer;
  Ends in = make_pipe();
  Ends out = make_pipe();
  ASSERT_EQ(::write(in.write.get(), "a\nb\n", 4), 4);
  boost::asio::io_context io(1);
  destroyer.stdio = std::make_unique<Stdio>(io, in.read.get(), out.write.get());
  destroyer.stdio->start(destroyer);
  io.run();
  EXPECT_EQ(destroyer.lines, 1);
}

TEST_F(StdioTest, APeerThatDoesNotReadIsWaitedForOnlyAsLongAsItsPatience) {
  using namespace std::chrono_literals;
  Ends in = make_pipe();
  Ends out = make_pipe();
  boost::asio::io_context io(1);
  Stdio stdio(io, in.read.get(), out.write.get());
  echo_.stdio = &stdio;
  stdio.start(echo_);
  stdio.send(std::string(1u << 20u, 'x'));
  stdio.close();
  bool written = false;
  stdio.when_written([&written] { written = true; });
  io.run_for(50ms);
  EXPECT_FALSE(written);
  stdio.limit_patience(50ms);
  io.run();
  EXPECT_TRUE(written);
}

TEST_F(StdioTest, PatienceThatIsOverCostsAPeerThatReadsNothing) {
  using namespace std::chrono_literals;
  Ends in = make_pipe();
  Ends out = make_pipe();
  boost::asio::io_context io(1);
  Stdio stdio(io, in.read.get(), out.write.get());
  echo_.stdio = &stdio;
  stdio.start(echo_);
  stdio.limit_patience(1ms);
  io.run_for(20ms);
  stdio.send("an answer");
  stdio.close();
  bool written = false;
  stdio.when_written([&written] { written = true; });
  io.run();
  EXPECT_TRUE(written);
  char answer[10];
  EXPECT_EQ(::read(out.read.get(), answer, sizeof answer), 10);
}

TEST_F(StdioTest, AStopThatIsDoneDoesNotWaitForThePatienceToEnd) {
  using namespace std::chrono_literals;
  Ends in = make_pipe();
  Ends out = make_pipe();
  boost::asio::io_context io(1);
  Stdio stdio(io, in.read.get(), out.write.get());
  echo_.stdio = &stdio;
  stdio.start(echo_);
  stdio.limit_patience(1h);
  stdio.close();
  bool written = false;
  stdio.when_written([&written] { written = true; });
  io.run_for(10s);
  EXPECT_TRUE(io.stopped());
  EXPECT_TRUE(written);
}

}  // namespace
}  // namespace host::transport
