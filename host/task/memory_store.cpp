#include "task/store.h"

namespace host::task {

Result<void> MemoryStore::put(const tool::Task& task) {
  const auto [at, fresh] = tasks_.insert_or_assign(task.id, task);
  if (fresh) ++by_principal_[at->second.principal];
  return {};
}

std::optional<tool::Task> MemoryStore::find(const std::string& id) const {
  const auto at = tasks_.find(id);
  if (at == tasks_.end()) return std::nullopt;
  return at->second;
}

std::size_t MemoryStore::size_of(const std::string& principal) const {
  const auto at = by_principal_.find(principal);
  return at == by_principal_.end() ? 0 : at->second;
}

std::vector<std::string> MemoryStore::expire(WallTime now) {
  std::vector<std::string> gone;
  for (auto at = tasks_.begin(); at != tasks_.end();) {
    if (!at->second.is_expired(now)) {
      ++at;
      continue;
    }
    gone.push_back(at->first);
    const auto count = by_principal_.find(at->second.principal);
    if (--count->second == 0) by_principal_.erase(count);
    at = tasks_.erase(at);
  }
  return gone;
}

}  // namespace host::task
