#include "base/heap.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace host {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kBlocks = 16u << 10u;  // 64 MiB
constexpr std::size_t kGroup = 64;           // whole pages are free between two that stay

using Blocks = std::vector<std::unique_ptr<char[]>>;

std::size_t own_bytes() {
  unsigned long resident = 0;
  unsigned long shared = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file) {
    EXPECT_EQ(std::fscanf(file, "%*u %lu %lu", &resident, &shared), 2);
    std::fclose(file);
  }
  return (resident - shared) * 4096;
}

void fill(Blocks& blocks) {
  for (auto& block : blocks) {
    if (block) continue;
    block.reset(new char[kBlock]);
    std::memset(block.get(), 1, kBlock);
  }
}

// What stays lies between what goes, as in a host: the end of the heap never comes free.
void leave_holes(Blocks& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % kGroup != 0) blocks[i].reset();
  }
}

TEST(Heap, IsGivenBackAgainAfterATrimFellIntoABurst) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  keep_freed_memory();
  Blocks blocks(kBlocks);
  fill(blocks);
  const std::size_t full = own_bytes();
  leave_holes(blocks);
  give_back_memory();  // in the middle of it
  const std::size_t rest = own_bytes();
  ASSERT_LT(rest + (kBlocks * kBlock) / 2, full);
  fill(blocks);
  leave_holes(blocks);
  ASSERT_GT(own_bytes(), rest + (kBlocks * kBlock) / 2);
  give_back_memory();
  EXPECT_LT(own_bytes(), rest + (4u << 20u));
}

}  // namespace
}  // namespace host
