#include "outbound/stream_flight.h"

#include <algorithm>
#include <utility>

#include "base/text/letters.h"

namespace host::outbound {

std::string_view StreamHead::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (same_letters(key, name)) return value;
  }
  return {};
}

Stream::~Stream() {
  flight_->close();
}

void Stream::pause() {
  flight_->pause();
}

void Stream::resume() {
  flight_->resume();
}

std::shared_ptr<const Pieces> StreamFlight::pieces() {
  const auto self = std::static_pointer_cast<StreamFlight>(shared_from_this());
  auto pieces = std::make_shared<Pieces>();
  pieces->head = [weak = std::weak_ptr(self)](HopAnswer answer) {
    if (const auto there = weak.lock()) there->head(std::move(answer));
  };
  pieces->body = [weak = std::weak_ptr(self)](std::string_view bytes) {
    if (const auto there = weak.lock()) there->body(bytes);
  };
  return pieces;
}

void StreamFlight::head(HopAnswer answer) {
  has_head_ = true;
  last_byte_ = steady_now();
  check_time();
  const auto handlers = handlers_;
  if (!handlers || given_up) return;
  StreamHead head;
  head.status = answer.status;
  head.url = request.url;
  head.headers = std::move(answer.headers);
  handlers->head(head);
}

void StreamFlight::body(std::string_view bytes) {
  last_byte_ = steady_now();
  const auto wait = pace_.count(bytes.size(), last_byte_);
  if (wait.count() > 0) {
    slowed_ = true;
    set_held();
    pace_clock_.expires_after(wait);
    pace_clock_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto there = std::static_pointer_cast<StreamFlight>(weak.lock());
      if (!there || error) return;
      there->slowed_ = false;
      there->set_held();
    });
  }
  const auto handlers = handlers_;
  if (handlers && !given_up) handlers->body(bytes);
}

void StreamFlight::ended(const Result<Response>& result) {
  clock.cancel();
  pace_clock_.cancel();
  const auto handlers = std::exchange(handlers_, nullptr);
  if (!handlers) return;
  StreamEnd end;
  end.sent = *sent;
  if (!result) {
    end.error = result.error();
  } else if (!has_head_ && result->status / 100 != 3) {
    end.error = Error{ErrorKind::Io, "the response ended within its headers"};
  } else if (!has_head_) {
    end.redirect = result->status;
    end.error = Error{ErrorKind::Io, "status " + std::to_string(result->status) +
                                         " leads elsewhere, but not to a URL that can be followed"};
  }
  handlers->end(end);
}

void StreamFlight::pause() {
  paused_ = true;
  set_held();
}

void StreamFlight::resume() {
  paused_ = false;
  set_held();
}

void StreamFlight::set_held() {
  const bool held = paused_ || slowed_;
  if (held == held_) return;
  held_ = held;
  last_byte_ = steady_now();
  const auto client = client_.lock();
  if (!client) return;
  if (held) {
    client->hold(hop_);
  } else {
    client->release(hop_);
  }
}

void StreamFlight::close() {
  handlers_ = nullptr;
  pace_clock_.cancel();
  give_up({ErrorKind::Cancelled, "closed"});
}

// ---- time

void StreamFlight::start_clock(const Settings&) {
  began_ = last_byte_ = steady_now();
  check_time();
}

// The next moment at which it may be too late. A silence is looked at again when it would have
// lasted long enough, not at each piece.
SteadyTime StreamFlight::due() const {
  SteadyTime due = SteadyTime::max();
  if (request.deadline != SteadyTime{}) due = request.deadline;
  if (!has_head_ && limits_.head.count() > 0) due = std::min(due, began_ + limits_.head);
  if (has_head_ && limits_.idle.count() > 0) {
    const SteadyTime since = held_ ? steady_now() : last_byte_;
    due = std::min(due, since + limits_.idle);
  }
  return due;
}

void StreamFlight::check_time() {
  const SteadyTime next = due();
  if (next == SteadyTime::max()) {
    clock.cancel();
    return;
  }
  if (next <= steady_now()) {
    const bool is_silent = has_head_ && next != request.deadline;
    return give_up({ErrorKind::DeadlineExceeded,
                    is_silent ? "the response stopped arriving" : "no answer within its time"});
  }
  clock.expires_at(next);
  clock.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto there = std::static_pointer_cast<StreamFlight>(weak.lock());
    if (there && !error) there->check_time();
  });
}

}  // namespace host::outbound
