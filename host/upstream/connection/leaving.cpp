// A connection whose upstream has forgotten the session, while some answers can still arrive.
#include <string>

#include "upstream/connection/connection.h"

namespace host::upstream {

void Connection::names_lost_session(const protocol::Id& request) {
  if (Request* const of = requests_.find(request)) of->names_lost_session = true;
}

void Connection::leaving(const Error& why) {
  after_messages([this, why] { take_leaving(why); });
}

void Connection::take_leaving(const Error& why) {
  if (state_ != State::Ready) return;
  state_ = State::Leaving;
  changes_.end();
  probe_.end();
  events_.on_list_changed = nullptr;
  events_.on_resource_updated = nullptr;
  for (const protocol::Id& dropped : requests_.drop_requests_of_session())
    transport_->cancel(dropped, {});
  if (events_.on_leaving) events_.on_leaving(settings_.secrets->hide(why));
}

// The host's answer to the question could not reach the upstream, which would wait for it.
void Connection::fail_asking(const protocol::Id& request) {
  auto asking = requests_.take(request);
  if (!asking) return;
  transport_->cancel(request, {});
  fail(std::move(asking), Reached::Perhaps,
       {ErrorKind::Io, "it asks a question, and has forgotten the session of the call"});
}

}  // namespace host::upstream
