#include "mcp/peer/request_state.h"

#include <algorithm>
#include <iterator>

#include "base/digest.h"

namespace host::mcp {
namespace {

// Rounds of all principals, and of one.
constexpr std::size_t kMaxBytes = 64u << 20u;
constexpr std::size_t kMaxBytesOfPrincipal = 4u << 20u;
// A round counts as at least so many bytes, which limits the number of rounds too.
constexpr std::size_t kLeastBytes = 4u << 10u;

std::size_t size_of(const OpenRound& open) {
  std::size_t bytes = open.round.state.size();
  for (const tool::Question& question : open.round.questions) {
    bytes += question.key.size() + question.params.size();
  }
  for (const auto& [key, answer] : open.answers) bytes += key.size() + answer.size();
  return std::max(bytes, kLeastBytes);
}

}  // namespace

void RequestStates::count(Owners::iterator owner, std::size_t before, std::size_t after) {
  by_bytes_.erase({owner->second.bytes, owner->first});
  owner->second.bytes = owner->second.bytes - before + after;
  bytes_ = bytes_ - before + after;
  if (owner->second.order.empty()) {
    owners_.erase(owner);
  } else {
    by_bytes_.emplace(owner->second.bytes, owner->first);
  }
}

void RequestStates::forget(Order::iterator at) {
  const Owners::iterator owner = at->owner;
  const std::size_t bytes = at->bytes;
  owner->second.order.erase(at->place);
  by_nonce_.erase(at->nonce);
  issued_.erase(at);
  count(owner, bytes, 0);
}

void RequestStates::forget_expired() {
  const SteadyTime now = clock_.steady();
  while (!issued_.empty() && issued_.front().expires <= now) forget(issued_.begin());
}

// The limit of a principal never costs its newest round, whatever the size of this round. The limit
// of the host can.
void RequestStates::make_room(Owners::iterator owner) {
  while (owner->second.bytes > kMaxBytesOfPrincipal && owner->second.order.size() > 1) {
    forget(owner->second.order.front());
  }
  while (bytes_ > kMaxBytes && issued_.size() > 1) {
    forget(owners_.at(by_bytes_.rbegin()->second).order.front());
  }
}

std::string RequestStates::issue(OpenRound round, std::string_view binding,
                                 const std::string& principal) {
  forget_expired();
  const Order::iterator made =
      put({random_id(), clock_.steady() + lifetime_, std::move(round), principal});
  std::string state = signer_.sign(made->nonce, binding);
  make_room(made->owner);
  return state;
}

RequestStates::Order::iterator RequestStates::put(Spent one) {
  const std::size_t bytes = size_of(one.round);
  const Owners::iterator owner = owners_.try_emplace(one.principal).first;
  // One that is given back is older than some.
  auto after = issued_.end();
  while (after != issued_.begin() && std::prev(after)->expires > one.expires) --after;
  const Order::iterator made = issued_.insert(
      after, {std::move(one.nonce), one.expires, bytes, std::move(one.round), owner});
  made->place = owner->second.order.insert(owner->second.order.end(), made);
  by_nonce_.emplace(made->nonce, made);
  count(owner, 0, bytes);
  return made;
}

RequestStates::Order::iterator RequestStates::at(std::string_view state, std::string_view binding) {
  forget_expired();
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

std::optional<RequestStates::Spent> RequestStates::spend(std::string_view nonce) {
  const auto found = by_nonce_.find(nonce);
  if (found == by_nonce_.end()) return std::nullopt;
  const Order::iterator at = found->second;
  Spent spent{at->nonce, at->expires, std::move(at->round), at->owner->first};
  forget(at);
  return spent;
}

void RequestStates::give_back(Spent spent) {
  make_room(put(std::move(spent))->owner);
}

void RequestStates::use(std::string_view nonce) {
  const auto found = by_nonce_.find(nonce);
  if (found != by_nonce_.end()) forget(found->second);
}

}  // namespace host::mcp
