#include "approval/left_requests.h"

#include <algorithm>
#include <utility>

namespace host::approval {
namespace {

std::string name_of(const std::string& principal, const std::string& tool) {
  return tool + "\n" + principal;
}

}  // namespace

void LeftRequests::add(Left left, WallTime now) {
  std::erase_if(all_, [&](const auto& one) { return one.second.until <= now; });
  insert(std::move(left));
}

void LeftRequests::insert(Left left) {
  std::string name = name_of(left.key.principal, left.key.tool);
  const auto [first, last] = all_.equal_range(name);
  const auto same = std::find_if(first, last, [&](const auto& one) {
    return one.second.session == left.session && one.second.key == left.key;
  });
  if (same != last) {
    same->second.until = std::max(same->second.until, left.until);
  } else {
    all_.emplace(std::move(name), std::move(left));
  }
}

std::vector<LeftRequests::Left> LeftRequests::take(const store::ApprovalKey& key) {
  std::vector<Left> taken;
  auto [at, last] = all_.equal_range(name_of(key.principal, key.tool));
  while (at != last) {
    const auto one = at++;
    if (one->second.key != key) continue;
    taken.push_back(std::move(one->second));
    all_.erase(one);
  }
  return taken;
}

void LeftRequests::put_back(std::vector<Left> taken) {
  for (Left& one : taken) insert(std::move(one));
}

bool LeftRequests::has(const store::ApprovalKey& key, const std::string& session,
                       WallTime now) const {
  const auto [first, last] = all_.equal_range(name_of(key.principal, key.tool));
  return std::any_of(first, last, [&](const auto& one) {
    const Left& left = one.second;
    return now < left.until && left.session == session && left.key == key;
  });
}

bool LeftRequests::may_have(const tool::Call& call, const tool::Tool& tool, WallTime now) const {
  const tool::Peer& who = call.passport->who;
  const auto [first, last] = all_.equal_range(name_of(who.principal, tool.name()));
  return std::any_of(first, last, [&](const auto& one) {
    return now < one.second.until && one.second.session == who.session;
  });
}

}  // namespace host::approval
