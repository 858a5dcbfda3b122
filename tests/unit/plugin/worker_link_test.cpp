#include "plugin/process/worker_link.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "plugin/wire/host_call.h"
#include "plugin/wire/passed_files.h"
#include "sandbox/sanitized.h"

namespace host::plugin {
namespace {

std::size_t in_use() {
  const struct mallinfo2 now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

TEST(WorkerLink, KeepsNoRoomOfALargeFrameWhenItIsTrimmed) {
  if (sandbox::kSanitizer) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  constexpr std::size_t kLarge = 8u << 20u;
  boost::asio::io_context io;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd worker(ends[1]);
  const auto link = std::make_shared<WorkerLink>(
      io.get_executor(), [](const Frame&) { return Result<void>(); }, [](const std::string&) {});
  link->open(UniqueFd(ends[0]));
  std::vector<char> taken(1u << 20u);
  const std::size_t before = in_use();
  link->out().assign(kLarge, 'x');
  link->send();
  for (std::size_t bytes = 0; bytes < kLarge;) {
    io.poll();
    const ssize_t count = ::recv(worker.get(), taken.data(), taken.size(), MSG_DONTWAIT);
    if (count > 0) bytes += static_cast<std::size_t>(count);
  }
  io.poll();
  ASSERT_EQ(link->unread(), 0u);
  ASSERT_GE(in_use(), before + kLarge);
  link->trim();
  EXPECT_LT(in_use(), before + kLarge / 8);
  link->close();
  io.poll();
}

TEST(WorkerLink, SendsWithoutATurnOfTheEventLoopWhenItShallSendNow) {
  boost::asio::io_context io;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd worker(ends[1]);
  const auto link = std::make_shared<WorkerLink>(
      io.get_executor(), [](const Frame&) { return Result<void>(); }, [](const std::string&) {});
  link->open(UniqueFd(ends[0]));
  const auto taken = [&worker] {
    char bytes[64];
    const ssize_t count = ::recv(worker.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    return std::string(bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  };
  link->out().append("with others ");
  link->send();
  EXPECT_EQ(taken(), "");
  link->out().append("at once");
  link->send_now();
  EXPECT_EQ(taken(), "with others at once");
  io.poll();
  EXPECT_EQ(taken(), "");
  link->close();
  io.poll();
}

// A file whose contents are `text`.
std::shared_ptr<UniqueFd> file_with(const std::string& text) {
  auto file = std::make_shared<UniqueFd>(::memfd_create("file", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(file->get(), text.data(), text.size(), 0), std::ssize(text));
  return file;
}

std::string contents_of(const UniqueFd& file) {
  char text[64];
  const ssize_t count = ::pread(file.get(), text, sizeof text, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

// The worker reads nothing until all is appended, so the socket is full on the way.
TEST(WorkerLink, EachFileArrivesWithItsFrame) {
  constexpr std::uint64_t kFrames = 300;
  boost::asio::io_context io;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd worker(ends[1]);
  const auto link = std::make_shared<WorkerLink>(
      io.get_executor(), [](const Frame&) { return Result<void>(); }, [](const std::string&) {});
  link->open(UniqueFd(ends[0]));
  for (std::uint64_t id = 1; id <= kFrames; ++id) {
    HostAnswer answer{TP_OK, 0, {}, std::string(id * 37 % 5000, 'x')};
    if (id % 3 != 0) answer.file = file_with(std::to_string(id));
    const std::size_t frame = link->out().size();
    write_host_answer(link->out(), id, answer);
    if (answer.file) link->attach(frame, std::move(answer.file));
    if (id % 7 != 0) continue;
    link->send();
    io.poll();
  }
  link->send();
  io.poll();
  ASSERT_GT(link->unsent_files(), 0u);
  FrameReader reader;
  std::deque<UniqueFd> files;
  std::uint64_t handled = 0;
  while (handled < kFrames) {
    const auto room = reader.prepare();
    const ssize_t count = receive_with_files(
        worker.get(), room.first(std::min<std::size_t>(room.size(), 1000)), files);
    ASSERT_GT(count, 0);
    reader.commit(static_cast<std::size_t>(count));
    for (auto frame = reader.next(); frame && *frame; frame = reader.next()) {
      ASSERT_EQ((*frame)->call_id, ++handled);
      ASSERT_EQ((*frame)->flags, handled % 3 != 0 ? kWithFile : 0);
      if (handled % 3 == 0) continue;
      ASSERT_FALSE(files.empty());
      ASSERT_EQ(contents_of(files.front()), std::to_string(handled));
      files.pop_front();
    }
    io.poll();
  }
  EXPECT_TRUE(files.empty());
  EXPECT_EQ(link->unsent_files(), 0u);
  link->close();
  io.poll();
}

// As a child of a dead worker does that writes as fast as the host reads.
TEST(WorkerLink, ReadsTheLastFramesOnlyUpToALimit) {
  constexpr std::size_t kFar = 8u << 20u;
  std::string frame;
  FrameWriter(frame, FrameType::HostDrop, 1).raw(std::string(4096, 'x'));
  boost::asio::io_context io;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd worker(ends[1]);
  std::size_t heard = 0;
  const auto write = [&] { return ::send(worker.get(), frame.data(), frame.size(), 0); };
  const auto link = std::make_shared<WorkerLink>(
      io.get_executor(),
      [&](const Frame&) {
        heard += frame.size();
        if (heard < kFar) {
          EXPECT_EQ(write(), std::ssize(frame));
        }
        return Result<void>();
      },
      [](const std::string&) {});
  for (int i = 0; i < 8; ++i) ASSERT_EQ(write(), std::ssize(frame));
  link->open(UniqueFd(ends[0]));
  bool heard_all = false;
  link->read_last([&] { heard_all = true; });
  io.run();
  EXPECT_TRUE(heard_all);
  EXPECT_GE(heard, 8 * frame.size());
  EXPECT_LT(heard, kFar);
  link->close();
}

// Whoever waits for the last frames usually owns the link.
TEST(WorkerLink, AnOwnerThatWaitsForTheLastFramesIsReleasedWhenItIsClosed) {
  boost::asio::io_context io;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd worker(ends[1]);
  auto link = std::make_shared<WorkerLink>(
      io.get_executor(), [](const Frame&) { return Result<void>(); }, [](const std::string&) {});
  const std::weak_ptr<WorkerLink> left = link;
  link->open(UniqueFd(ends[0]));
  link->read_last([link] { FAIL() << "nothing may be called after close()"; });
  link->close();
  link.reset();
  io.run();
  EXPECT_TRUE(left.expired());
}

TEST(WorkerLink, FilesThatAreNotSentAreClosedWithTheLink) {
  boost::asio::io_context io;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd worker(ends[1]);
  const auto link = std::make_shared<WorkerLink>(
      io.get_executor(), [](const Frame&) { return Result<void>(); }, [](const std::string&) {});
  link->open(UniqueFd(ends[0]));
  HostAnswer answer{TP_OK, 0, {}, {}, file_with("y")};
  const std::weak_ptr<UniqueFd> sent = answer.file;
  write_host_answer(link->out(), 1, answer);
  link->attach(0, std::move(answer.file));
  EXPECT_EQ(link->unsent_files(), 1u);
  link->close();
  EXPECT_TRUE(sent.expired());
  io.poll();
}

}  // namespace
}  // namespace host::plugin
