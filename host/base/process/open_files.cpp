#include "base/process/open_files.h"

#include <sys/resource.h>

#include <atomic>

namespace host {
namespace {

std::atomic<std::uint64_t> soft_before = 0;

}  // namespace

void raise_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) soft_before = before;
}

std::uint64_t open_files_of_programs() {
  return soft_before;
}

}  // namespace host
