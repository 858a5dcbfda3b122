#include "approval/left_requests.h"

#include <algorithm>

namespace host::approval {
namespace {

std::string name_of(const std::string& principal, const std::string& tool) {
  return tool + "\n" + principal;
}

}  // namespace

void LeftRequests::add(const store::ApprovalKey& key, WallTime until, WallTime now) {
  remove(key);
  std::erase_if(all_, [&](const auto& one) { return one.second.until <= now; });
  all_.emplace(name_of(key.principal, key.tool), Left{key, until});
}

void LeftRequests::remove(const store::ApprovalKey& key) {
  std::erase_if(all_, [&](const auto& one) { return one.second.key == key; });
}

bool LeftRequests::has(const store::ApprovalKey& key) const {
  const auto [first, last] = all_.equal_range(name_of(key.principal, key.tool));
  return std::any_of(first, last, [&](const auto& one) { return one.second.key == key; });
}

bool LeftRequests::may_have(const tool::Call& call, const tool::Tool& tool) const {
  return !all_.empty() && all_.contains(name_of(call.passport->who.principal, tool.name()));
}

}  // namespace host::approval
