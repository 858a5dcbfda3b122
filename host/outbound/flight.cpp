#include "outbound/flight.h"

#include <algorithm>

namespace host::outbound {

void Flight::start_clock(const Settings& settings) {
  SteadyTime until = steady_now() + settings.timeout;
  if (request.deadline != SteadyTime{}) until = std::min(until, request.deadline);
  clock.expires_at(until);
  clock.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto there = weak.lock();
    if (!there || error) return;
    there->give_up({ErrorKind::DeadlineExceeded, "no answer within its time"});
  });
}

void Flight::give_up(Error why) {
  if (given_up) return;
  given_up = std::move(why);
  lookup.cancel();
  if (const auto client = client_.lock()) client->stop(hop_);
}

void Flight::hop_began(const std::shared_ptr<CurlClient>& client, std::uint64_t id) {
  client_ = client;
  hop_ = id;
  if (held_) client->hold(id);
}

void Flight::hop_ended() {
  client_.reset();
}

}  // namespace host::outbound
