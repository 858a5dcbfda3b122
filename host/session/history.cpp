#include "session/history.h"

#include <algorithm>
#include <utility>

namespace host::session {
namespace {

constexpr std::size_t kBytesOfEach = 400;  // what a call takes besides its texts

}  // namespace

std::size_t PastCall::bytes() const {
  return kBytesOfEach + principal.size() + call.size() + tool.size() + arguments.size() +
         outcome.size() + result.size();
}

void History::add(const std::string& session, PastCall call) {
  if (limits_.calls == 0) return;
  if (call.bytes() > limits_.call_bytes) {
    call.arguments = std::string();
    call.result = std::string();
    call.left_out = true;
  }
  const std::size_t size = call.bytes();
  if (size > limits_.bytes || size > limits_.all_bytes) return;
  const std::uint64_t number = call.number = ++last_number_;
  const std::string principal = call.principal;
  calls_.emplace(number, Kept{session, std::move(call)});
  for (Group* const group : {&sessions_[session], &principals_[principal]}) {
    group->calls.insert(group->calls.end(), number);
    group->bytes += size;
  }
  bytes_ += size;
  const Group& own = sessions_.find(session)->second;  // has this call at least
  while (own.calls.size() > limits_.calls || own.bytes > limits_.bytes) drop(*own.calls.begin());
  while (bytes_ > limits_.all_bytes) drop_of_largest();
}

void History::take_out(Groups& groups, const std::string& name, const PastCall& call) {
  const auto at = groups.find(name);
  at->second.calls.erase(call.number);
  at->second.bytes -= call.bytes();
  if (at->second.calls.empty()) groups.erase(at);
}

void History::drop(std::uint64_t number) {
  const auto at = calls_.find(number);
  const Kept& kept = at->second;
  bytes_ -= kept.call.bytes();
  take_out(sessions_, kept.session, kept.call);
  take_out(principals_, kept.call.principal, kept.call);
  calls_.erase(at);
}

void History::drop_of_largest() {
  const auto most = std::max_element(
      principals_.begin(), principals_.end(),
      [](const auto& left, const auto& right) { return left.second.bytes < right.second.bytes; });
  drop(*most->second.calls.begin());
}

void History::forget(std::string_view session) {
  for (auto of = sessions_.find(session); of != sessions_.end(); of = sessions_.find(session))
    drop(*of->second.calls.begin());
}

History::Page History::list(std::string_view session, std::string_view principal,
                            std::uint64_t before, std::size_t most) const {
  Page page;
  const auto of = sessions_.find(session);
  if (of == sessions_.end()) return page;
  const auto& numbers = of->second.calls;
  for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
    const PastCall& call = calls_.at(*at).call;
    if (call.principal != principal || (before > 0 && call.number >= before)) continue;
    if (page.calls.size() == most) {
      page.more = true;
      break;
    }
    page.calls.push_back(&call);
  }
  return page;
}

}  // namespace host::session
