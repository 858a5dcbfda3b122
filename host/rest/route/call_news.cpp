#include "rest/route/call_news.h"

namespace host::rest {

CallNews::Follower CallNews::follow() {
  if (auto follower = follower_.lock()) return follower;
  const auto follower = std::make_shared<const int>(0);
  follower_ = follower;
  if (!awaiting_) await_change();
  return follower;
}

void CallNews::await_change() {
  awaiting_ = true;
  calls_.tell_next([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->changed();
  });
}

// Told at the end of the stretch: what changes meanwhile is in it, and costs nothing.
void CallNews::changed() {
  pause_.expires_after(kEvery);
  pause_.async_wait([weak = weak_from_this()](boost::system::error_code) {
    const auto self = weak.lock();
    if (!self) return;
    self->awaiting_ = false;
    if (self->follower_.expired()) return;
    self->await_change();
    self->tell_();
  });
}

}  // namespace host::rest
