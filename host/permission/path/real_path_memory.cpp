#include "permission/path/real_path_memory.h"

#include <cstddef>

#include "permission/path/real_path.h"

namespace host::permission {
namespace {

constexpr std::chrono::seconds kRemembered{1};
constexpr std::size_t kMostRemembered = 1024;

}  // namespace

std::string RealPathMemory::real(const std::string& absolute) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const auto known = known_.find(absolute);
  if (known != known_.end() && now < known->second.until) return known->second.real;
  if (known_.size() >= kMostRemembered) known_.clear();
  return known_.insert_or_assign(absolute, Known{real_path(absolute), now + kRemembered})
      .first->second.real;
}

}  // namespace host::permission
