// Calls that wait until their users have finished at the URLs that the upstream requires.
#include <algorithm>
#include <utility>

#include "base/cancel.h"
#include "upstream/call/calls.h"

namespace host::upstream {

// The user has agreed to open URLs, and is not done there yet. If the upstream does not report the
// end, the call continues after a while, because upstreams need not report it.
bool Calls::waits_for_urls(Held& held) {
  const auto unfinished = urls_.unfinished(held.invocation->continuation.state);
  if (unfinished.empty() || !retired_.empty()) return false;
  const auto now = std::chrono::steady_clock::now();
  auto limit = now + settings_.url_timeout;
  const SteadyTime deadline = held.invocation->deadline;
  if (deadline != SteadyTime{}) limit = std::min(limit, now + (deadline - now) / 2);
  const Key key = ++last_key_;
  Opening& opening = opening_[key];
  opening.held = std::move(held);
  opening.limit = std::make_unique<boost::asio::steady_timer>(io_, limit);
  opening.limit->async_wait([weak = weak_from_this(), key](boost::system::error_code) {
    const auto self = weak.lock();
    if (!self) return;
    if (const auto opened = self->opening_.extract(key))
      self->go_on_after_urls(opened.mapped().held);
  });
  opening.unfinished = unfinished.size();
  for (const auto& end : unfinished) {
    opening.ends.push_back(end->on_cancel([&opening] {
      if (--opening.unfinished == 0) opening.limit->cancel();
    }));
  }
  return true;
}

// Rules can have changed while the call waited. A round without questions makes the host check the
// call again, and then run it with the same state.
void Calls::go_on_after_urls(const Held& held) {
  const std::string& state = held.invocation->continuation.state;
  urls_.forget(state);
  tool::CallResult again;
  again.round.emplace();
  again.round->state = state;
  held.invocation->refuse(std::move(again));  // the upstream has not begun the call
  tell_if_idle();
}

}  // namespace host::upstream
