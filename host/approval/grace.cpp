#include "approval/grace.h"

#include <utility>

namespace host::approval {

Grace::Whose Grace::whose(const tool::Call& call) {
  const tool::Peer& who = call.passport->who;
  return {who.principal, who.agent, who.session};
}

SteadyTime Grace::begin(const tool::Call& call) {
  if (lasts_.count() == 0) return {};
  const SteadyTime now = clock_.steady();
  std::erase_if(until_, [now](const auto& one) { return one.second <= now; });
  return std::exchange(until_[whose(call)], now + lasts_);
}

void Grace::put_back(const tool::Call& call, SteadyTime until) {
  const auto found = until_.find(whose(call));
  if (found != until_.end()) found->second = until;
}

bool Grace::holds(const tool::Call& call) {
  const auto found = until_.find(whose(call));
  return found != until_.end() && clock_.steady() < found->second;
}

}  // namespace host::approval
