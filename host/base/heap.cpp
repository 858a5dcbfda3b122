#include "base/heap.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>

namespace host {
namespace {

constexpr int kMostKept = 64 << 20;
constexpr std::size_t kWorthIt = 2u << 20u;

}  // namespace

void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, kMostKept / 2);  // glibc's maximum
  ::mallopt(M_TRIM_THRESHOLD, kMostKept);
}

void give_back_memory() {
  static std::size_t stays = 0;  // free but still resident: holes between blocks in use
  const std::size_t free = ::mallinfo2().fordblks;
  stays = std::min(stays, free);
  if (free < stays + kWorthIt) return;
  ::malloc_trim(0);
  stays = ::mallinfo2().fordblks;
}

}  // namespace host
