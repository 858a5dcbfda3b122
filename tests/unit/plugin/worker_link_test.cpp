#include "plugin/process/worker_link.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include <vector>

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

}  // namespace
}  // namespace host::plugin
