#include "base/heap.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace host {
namespace {

constexpr int kMostKept = 64 << 20;
// The heap grows by so much at once, so that it seldom asks the system. What is not used is not
// resident, but RLIMIT_DATA counts it.
constexpr int kGrowBy = 1 << 20;
constexpr std::size_t kWorthIt = 2u << 20u;

// Stays open: a sandbox may close the way to it later.
int statm() {
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  return file;
}

// Of the pages that this process has in memory, what no block uses. Not mallinfo2().fordblks: that
// counts what a trim gave back in the middle of the heap as if it were still held, so a trim in a
// burst would hide all that the same burst leaves behind.
std::size_t held_and_unused() {
  char text[128];
  const ssize_t bytes = ::pread(statm(), text, sizeof text - 1, 0);
  if (bytes <= 0) return 0;
  text[bytes] = '\0';
  unsigned long long resident = 0;
  unsigned long long shared = 0;
  const int read = std::sscanf(text, "%*u %llu %llu", &resident, &shared);
  if (read != 2 || resident < shared) return 0;
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto own = static_cast<std::size_t>(resident - shared) * page;
  const struct mallinfo2 now = ::mallinfo2();
  const std::size_t used = now.uordblks + now.hblkhd;
  return own > used ? own - used : 0;
}

}  // namespace

void keep_freed_memory() {
  statm();
  ::mallopt(M_MMAP_THRESHOLD, kMostKept / 2);  // glibc's most
  ::mallopt(M_TRIM_THRESHOLD, kMostKept);
  ::mallopt(M_TOP_PAD, kGrowBy);
}

void give_back_memory() {
  // What stays after a trim: the program's own data, stacks, and holes smaller than a page.
  static std::size_t stays = 0;
  const std::size_t held = held_and_unused();
  stays = std::min(stays, held);
  if (held < stays + kWorthIt) return;
  ::malloc_trim(0);
  stays = held_and_unused();
}

}  // namespace host
