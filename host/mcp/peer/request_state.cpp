#include "mcp/peer/request_state.h"

#include "base/digest.h"

namespace host::mcp {
namespace {

constexpr std::size_t kMaxOpen = 16'384;
constexpr std::size_t kMaxBytes = 64u << 20u;

std::size_t size_of(const OpenRound& open) {
  std::size_t bytes = open.round.state.size();
  for (const tool::Question& question : open.round.questions) {
    bytes += question.key.size() + question.params.size();
  }
  for (const auto& [key, answer] : open.answers) bytes += key.size() + answer.size();
  return bytes;
}

}  // namespace

void RequestStates::forget(Order::iterator at) {
  bytes_ -= at->bytes;
  by_nonce_.erase(at->nonce);
  issued_.erase(at);
}

void RequestStates::forget_old() {
  const SteadyTime now = clock_.steady();
  while (!issued_.empty() && (issued_.front().expires <= now || issued_.size() > kMaxOpen ||
                              (bytes_ > kMaxBytes && issued_.size() > 1))) {
    forget(issued_.begin());
  }
}

std::string RequestStates::issue(OpenRound round, std::string_view binding) {
  const std::size_t bytes = size_of(round);
  issued_.push_back({random_id(), clock_.steady() + lifetime_, bytes, std::move(round), false});
  bytes_ += bytes;
  const std::string& nonce = issued_.back().nonce;
  by_nonce_.emplace(nonce, std::prev(issued_.end()));
  std::string state = signer_.sign(nonce, binding);
  forget_old();
  return state;
}

RequestStates::Order::iterator RequestStates::at(std::string_view state, std::string_view binding) {
  forget_old();
  const auto nonce = signer_.open(state, binding);
  const auto found = nonce ? by_nonce_.find(*nonce) : by_nonce_.end();
  return found == by_nonce_.end() ? issued_.end() : found->second;
}

const OpenRound* RequestStates::find(std::string_view state, std::string_view binding) {
  const auto found = at(state, binding);
  return found == issued_.end() || found->taken ? nullptr : &found->round;
}

std::string RequestStates::take(std::string_view state, std::string_view binding) {
  const auto found = at(state, binding);
  if (found == issued_.end()) return {};
  found->taken = true;
  return found->nonce;
}

void RequestStates::give_back(std::string_view nonce) {
  const auto found = by_nonce_.find(nonce);
  if (found != by_nonce_.end()) found->second->taken = false;
}

void RequestStates::use(std::string_view nonce) {
  const auto found = by_nonce_.find(nonce);
  if (found != by_nonce_.end()) forget(found->second);
}

}  // namespace host::mcp
