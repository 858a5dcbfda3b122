#include "session/request_state.h"

#include "base/digest.h"

namespace host::session {
namespace {

constexpr std::size_t kMaxOpen = 16'384;
constexpr char kSeparator = '\n';  // no nonce has one

}  // namespace

void RequestStates::forget_old() {
  const SteadyTime now = clock_.steady();
  while (!issued_.empty() && (issued_.front().expires <= now || issued_.size() > kMaxOpen)) {
    by_nonce_.erase(issued_.front().nonce);
    issued_.pop_front();
  }
}

std::string RequestStates::issue(const std::string& key, std::string_view binding) {
  const std::string nonce = random_id();
  issued_.push_back({nonce, clock_.steady() + lifetime_});
  by_nonce_.emplace(nonce, std::prev(issued_.end()));
  forget_old();
  return signer_.sign(nonce + kSeparator + key, binding);
}

std::optional<RequestStates::Opened> RequestStates::open(std::string_view state,
                                                         std::string_view binding) {
  forget_old();
  const auto payload = signer_.open(state, binding);
  if (!payload) return std::nullopt;
  const auto separator = payload->find(kSeparator);
  Opened opened{payload->substr(0, separator), payload->substr(separator + 1)};
  if (!by_nonce_.contains(opened.nonce)) return std::nullopt;
  return opened;
}

bool RequestStates::use(const std::string& nonce) {
  const auto at = by_nonce_.find(nonce);
  if (at == by_nonce_.end()) return false;
  issued_.erase(at->second);
  by_nonce_.erase(at);
  return true;
}

}  // namespace host::session
