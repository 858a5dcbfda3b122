#include "approval/grace.h"

#include <utility>

namespace host::approval {

Grace::Whose Grace::whose(const tool::Call& call) {
  const tool::Peer& who = call.passport->who;
  return {who.principal, who.agent, who.session};
}

Grace::Begun Grace::begin(const tool::Call& call) {
  if (lasts_.count() == 0) return {};
  const SteadyTime now = clock_.steady();
  std::erase_if(until_, [now](const auto& one) { return one.second <= now; });
  SteadyTime& until = until_[whose(call)];
  const SteadyTime before = std::exchange(until, now + lasts_);
  return {before, until};
}

void Grace::put_back(const tool::Call& call, const Begun& begun) {
  const auto found = until_.find(whose(call));
  if (found != until_.end() && found->second == begun.until) found->second = begun.before;
}

bool Grace::holds(const tool::Call& call) {
  const auto found = until_.find(whose(call));
  return found != until_.end() && clock_.steady() < found->second;
}

}  // namespace host::approval
